// The keys, as a dialog.
import { html, type TemplateResult } from "lit";
import { Dialog } from "./dialog";
import { setUsesKeys, usesKeys } from "./settings";

const sections: [string, [string, string][]][] = [
  ["Everywhere", [
    ["Ctrl K", "commands"], ["1 2 3 4 5", "inbox, activity, servers, grants, policy"], ["?", "these keys"], ["Esc", "closes what is open"],
  ]],
  ["Inbox", [
    ["j k", "next and previous question; the arrows too"], ["space", "marks a question; an answer is to all that are marked"],
    ["*", "marks all of the same client and project"], ["d", "goes to the details and back"], ["u", "takes the last answer back"],
    ["y", "yes, this call"], ["s", "yes, until the session ends"], ["f", "yes, in this folder for 8 hours"],
    ["p", "yes, in this project until you revoke it"], ["n", "no"], ["x", "no, and never ask about this tool here again"],
    ["h t w r a X", "wider answers; the buttons under More say what they mean"],
  ]],
  ["Try", [["6", "goes there, with overt inspect"], ["j k", "next and previous entry of the list"], ["/", "goes to the search"], ["Ctrl Enter", "sends the call that is being written"]]],
  ["Activity", [["j k", "next and previous action"], ["Enter", "opens it; a group of reads unfolds"], ["/", "goes to the filters"]]],
];

export class Help extends Dialog {
  protected heading = "Keys";

  protected body(): TemplateResult {
    return html`<div class="dialog-bar"><h2>Keys</h2><button type="button" class="small" @click=${() => this.close()}>Close</button></div>
      <div class="help-sections" tabindex="0" role="region" aria-label="List of keys">${sections.map(([name, keys]) => html`<section><h3>${name}</h3>
        <dl>${keys.map(([key, does]) => html`<div><dt>${key.split(" ").map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${does}</dd></div>`)}</dl></section>`)}</div>
      <label class="check"><input type="checkbox" .checked=${usesKeys()} @change=${this.changed}> Single keys do something</label>`;
  }

  private readonly changed = (event: Event): void => setUsesKeys((event.target as HTMLInputElement).checked);
}

customElements.define("overt-help", Help);
