// A change with its diff, and the buttons that go with its state.
import { html, nothing, type TemplateResult } from "lit-html";
import { safeLines, safeText } from "../../src/safe-text";
import type { Change } from "./change";
import { diffView } from "./diff";

export interface ChangeActions {
  apply(): void;
  again(): void;
  undo(): void;
  cancel?(): void;
}

const said: Record<Change["state"], string> = {
  waiting: "Waiting…",
  preview: "Nothing is changed yet.",
  busy: "Working…",
  done: "Done.",
  failed: "",
};

export function changeView(change: Change, { apply, again, undo, cancel }: ChangeActions): TemplateResult {
  const { state, plan, diff, message, made, intent, tool, input } = change;
  const button = (text: string, action: () => void, isMain = false) =>
    html`<button class=${isMain ? "main" : ""} @click=${action}>${text}</button>`;
  return html`<h1>${safeText(intent || tool)}</h1>
    ${diffView(diff)}
    <div class="bar">
      <p role="status" class=${state}>${state === "failed" ? safeLines(message ?? "") : said[state]}</p>
      ${plan && input && state === "preview" ? button("Apply", apply, true) : nothing}
      ${input && state === "failed" ? button("Preview again", again) : nothing}
      ${state === "done" && made ? button("Undo…", undo) : nothing}
      ${cancel ? button(state === "done" ? "Close" : "Cancel", cancel) : nothing}
    </div>`;
}
