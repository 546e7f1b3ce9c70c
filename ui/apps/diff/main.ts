// The diff of a preview or of a result, with a button that makes exactly the change that is shown.
import { render } from "lit-html";
import { connect } from "../shared/bridge";
import { apply, changeFrom, preview, type Change } from "../shared/change";
import { changeView } from "../shared/change-view";

let change: Change = { tool: "", state: "waiting" };

function show(next: Change): void {
  change = next;
  render(changeView(change, actions), document.querySelector("main")!);
}

async function work(step: () => Promise<Change>): Promise<void> {
  show({ ...change, state: "busy" });
  show(await step());
}

const actions = {
  apply: () => void work(() => apply(change)),
  again: () => void work(() => preview(change.tool, change.input!)),
  undo: () => {
    const input = { change: change.made };
    void work(() => preview("revert_change", input));
  },
};

const context = connect("overt-fs-diff", {
  input: (input) => show({ ...change, input }),
  result: (result) => void context.then(({ toolInfo }) => show(changeFrom(toolInfo?.tool.name ?? "", change.input, result))),
  cancelled: (reason) => show({ ...change, state: "failed", message: `Cancelled: ${reason}` }),
});
void context.then(({ toolInfo }) => show({ ...change, tool: toolInfo?.tool.name ?? "" }));
