// A form and its JSON side by side.
import type { TemplateResult } from "lit";
import { html, live, nothing, PageElement, plural, safeText, untrusted } from "../../shell/shared";
import type { Problem } from "../contract";
import type { EditorState } from "./editor-state";
import { formView } from "./form-view";
import type { Field } from "./fields";
import { pointer } from "./path";

/** Dispatches `edit` when the text changed. */
export class Editor extends PageElement {
  static override properties = {
    state: { attribute: false }, label: { attribute: false }, problems: { attribute: false }, revision: { attribute: false },
  };

  declare state: EditorState;
  declare label: string;
  declare problems: Problem[];
  /** Changes when the state was changed from outside. */
  declare revision: unknown;
  private readonly idPrefix = `form-${crypto.randomUUID().slice(0, 8)}`;

  constructor() {
    super();
    this.label = "Value";
    this.problems = [];
  }

  protected override render(): TemplateResult {
    const { state } = this;
    const field = state.field;
    const shown = new Set(paths(field));
    const problems = new Map<string, string[]>();
    const others: Problem[] = [];
    for (const problem of this.problems) {
      if (shown.has(problem.path)) problems.set(problem.path, [...(problems.get(problem.path) ?? []), problem.message]);
      else others.push(problem);
    }
    const context = { state, prefix: this.idPrefix, problems, changed: this.changed };
    const { jsonProblem } = state;
    return html`<div class="editor" @focusout=${this.left}>
      <fieldset class="editor-form" ?disabled=${jsonProblem !== null}><legend class="unseen">${safeText(this.label)}, as a form</legend>
        ${jsonProblem === null ? nothing : html`<p class="note">The form follows as soon as the JSON can be read.</p>`}
        ${formView(context, field)}</fieldset>
      <div class="editor-json"><label class="quiet" for="${this.idPrefix}-json">${safeText(this.label)}, as JSON</label>
        <textarea id="${this.idPrefix}-json" class="mono" rows=${Math.min(30, Math.max(6, state.text.split("\n").length))} spellcheck="false" autocomplete="off" autocapitalize="off"
          aria-invalid=${jsonProblem !== null} aria-describedby=${jsonProblem === null ? nothing : `${this.idPrefix}-json-problem`} .value=${live(state.text)} @input=${this.typed}></textarea>
        ${jsonProblem === null ? nothing : html`<p class="problem" id="${this.idPrefix}-json-problem">${safeText(jsonProblem)}</p>`}</div>
      ${others.length ? html`<div class="editor-problems" role="status"><p class="problem">${plural(others.length, "problem")}</p>
        <ul>${others.slice(0, 20).map(({ path, message }) => html`<li>${path ? html`${untrusted(path, "mono")}: ` : nothing}${untrusted(message)}</li>`)}</ul></div>` : nothing}
    </div>`;
  }

  private readonly changed = (focus?: string): void => {
    this.requestUpdate();
    this.dispatchEvent(new Event("edit"));
    if (focus !== undefined) void this.updateComplete.then(() => this.focusField(focus));
  };

  /** The button that was pressed may be gone, so the focus goes to the control of the field. */
  private focusField(path: string): void {
    const box = [...this.querySelectorAll<HTMLElement>("[data-path]")].find((one) => one.dataset["path"] === path);
    const control = box?.querySelector<HTMLElement>("textarea, select, input:not(.member-name)") ?? box?.querySelector<HTMLElement>("button") ?? this.querySelector<HTMLElement>("textarea");
    control?.focus();
  }

  private readonly typed = (event: Event): void => {
    this.state.setText((event.target as HTMLTextAreaElement).value);
    this.changed();
  };

  private readonly left = (): void => {
    this.state.leave();
    this.requestUpdate();
  };
}

function paths(field: Field): string[] {
  const inner = field.control.kind === "object" ? field.control.fields : field.control.kind === "list" ? field.control.items : [];
  return [pointer(field.path), ...inner.flatMap(paths)];
}

customElements.define("overt-editor", Editor);
