// One field of a form: its label, its control, what can be done with it, and what is wrong with it.
import type { TemplateResult } from "lit";
import { html, live, nothing, safeText, untrusted } from "../../shell/shared";
import type { EditorState } from "./editor-state";
import type { Field } from "./fields";
import { writeJson, type Json } from "./json";
import { pointer } from "./path";
import { limitWords, typeWords } from "./words";

export interface FormContext {
  state: EditorState;
  /** Begins the ids of all elements of this form. */
  prefix: string;
  /** What is wrong, by the JSON Pointer of the field. */
  problems: ReadonlyMap<string, string[]>;
  /** Draws the form again. A path names the field that gets the focus. */
  changed(focus?: string): void;
}

const placeholders: Record<string, string> = {
  date: "2026-11-17", "date-time": "2026-11-17T09:30:00Z", time: "09:30:00Z", duration: "PT15M", email: "ada@example.com",
  uri: "https://example.com/", uuid: "123e4567-e89b-12d3-a456-426614174000", ipv4: "192.0.2.1", hostname: "example.com",
};

export function fieldId(context: FormContext, field: Field, part: string): string {
  // No blanks, because references to ids are lists; lone surrogates must not fail.
  return `${context.prefix}-${part}-${pointer(field.path).replace(/[^a-z0-9/]/gi, (char) => `-${char.charCodeAt(0).toString(16)}-`)}`;
}

/** The words above a control: name, title, whether it must be there, type and limits. */
export function fieldHead(context: FormContext, field: Field): TemplateResult {
  const title = field.schema.get("title");
  const types = field.variants.length ? "" : typeWords(context.state.form.schemas, field.schema);
  const words = [types, field.isNullable ? "or null" : "", ...limitWords(field.schema)].filter(Boolean).join(" · ");
  return html`${typeof title === "string" && title !== field.name ? html`<span class="field-title">${untrusted(title)}</span>` : nothing}
    ${field.isRequired && typeof field.path.at(-1) !== "number" ? html`<span class="required">required</span>` : nothing}
    ${words ? html`<span class="quiet field-type">${untrusted(words)}</span>` : nothing}`;
}

export function description(context: FormContext, field: Field): TemplateResult | typeof nothing {
  const text = field.schema.get("description");
  if (typeof text !== "string" || !text) return nothing;
  return html`<div class="quiet field-description" id=${fieldId(context, field, "about")}><overt-long-text .text=${text}></overt-long-text></div>`;
}

export function problemsOf(context: FormContext, field: Field): TemplateResult | typeof nothing {
  const typed = context.state.shown(field).problem;
  const all = [...(typed === null ? [] : [typed]), ...(context.problems.get(pointer(field.path)) ?? [])];
  if (!all.length) return nothing;
  return html`<p class="problem field-problem" id=${fieldId(context, field, "problem")}>${all.map((one) => html`<span>${untrusted(one)} </span>`)}</p>`;
}

/** Chooses between alternatives of the schema. */
export function variantChoice(context: FormContext, field: Field): TemplateResult | typeof nothing {
  if (!field.variants.length) return nothing;
  const chosen = (event: Event) => {
    context.state.choose(field, Number((event.target as HTMLSelectElement).value));
    context.changed();
  };
  return html`<label class="variant"><span class="quiet">${field.name ? html`${untrusted(field.name, "mono")} is` : "Kind"}</span>
    <select @change=${chosen}>${field.variants.map((label, at) => html`<option value=${at} .selected=${live(at === field.variant)}>${safeText(label)}</option>`)}</select></label>`;
}

/** Leaving out, setting to null, setting to an empty value. */
export function fieldActions(context: FormContext, field: Field): TemplateResult | typeof nothing {
  const { state } = context;
  const { value, control, path } = field;
  const isItem = typeof path.at(-1) === "number";
  const here = pointer(path);
  const set = (changed: Json | undefined) => () => {
    state.set(path, changed);
    context.changed(here);
  };
  const add = () => {
    state.add(field);
    context.changed(here);
  };
  const button = (label: string, title: string, run: () => void) =>
    html`<button type="button" class="field-action" title=${title} aria-label=${`${title}: ${safeText(field.name || "value")}`} @click=${run}>${label}</button>`;
  const actions: (TemplateResult | null)[] = [
    value === undefined && control.kind === "text" ? button('""', "Set to an empty text", set("")) : null,
    value === undefined && (control.kind === "list" || control.kind === "set") ? button("[]", "Set to an empty list", set([])) : null,
    value === undefined && (control.kind === "object" || control.kind === "constant") ? button("Add", "Add", add) : null,
    value === null && field.isNullable ? button("Set", "Set a value", add) : null,
    field.isNullable && value !== null ? button("null", "Set to null", set(null)) : null,
    value !== undefined && path.length && !isItem ? button("Leave out", "Leave out", set(undefined)) : null,
  ];
  return actions.some(Boolean) ? html`<span class="field-actions">${actions}</span>` : nothing;
}

/** The control of a field that has no fields of its own. */
export function control(context: FormContext, field: Field): TemplateResult | typeof nothing {
  const { state } = context;
  const id = fieldId(context, field, "value");
  const { text, problem, isRaw } = state.shown(field);
  const hasProblem = problem !== null || context.problems.has(pointer(field.path));
  const about = [field.schema.get("description") ? fieldId(context, field, "about") : "", hasProblem ? fieldId(context, field, "problem") : ""].filter(Boolean).join(" ");
  const typed = (event: Event) => {
    state.type(field, (event.target as HTMLInputElement).value);
    context.changed();
  };
  if (isRaw) {
    return html`${field.control.kind === "raw" && field.control.why ? html`<p class="quiet field-why">${untrusted(field.control.why)}</p>` : nothing}
      <textarea id=${id} class="mono" rows=${Math.min(12, text.split("\n").length)} spellcheck="false" autocomplete="off" placeholder=${field.value === undefined ? "JSON, not set" : ""}
        aria-invalid=${hasProblem} aria-describedby=${about || nothing} .value=${live(text)} @input=${typed}></textarea>`;
  }
  if (field.value === null && field.isNullable) return html`<p class="null-value"><code id=${id}>null</code></p>`;
  switch (field.control.kind) {
    case "text": {
      const { format, isSecret } = field.control;
      const placeholder = field.value === undefined ? (placeholders[format] ?? "not set") : "";
      if (isSecret || format) {
        return html`<input id=${id} type=${isSecret ? "password" : "text"} spellcheck="false" autocomplete="off" placeholder=${placeholder}
          aria-invalid=${hasProblem} aria-describedby=${about || nothing} .value=${live(text)} @input=${typed}>`;
      }
      return html`<textarea id=${id} rows=${Math.min(12, text.split("\n").length)} spellcheck="false" autocomplete="off" placeholder=${placeholder}
        aria-invalid=${hasProblem} aria-describedby=${about || nothing} .value=${live(text)} @input=${typed}></textarea>`;
    }
    case "number":
      return html`<input id=${id} type="text" inputmode="decimal" class="mono number-input" spellcheck="false" autocomplete="off" placeholder="not set"
        aria-invalid=${hasProblem} aria-describedby=${about || nothing} .value=${live(text)} @input=${typed}>`;
    case "boolean": return select(context, field, [{ label: "true", value: true }, { label: "false", value: false }], field.value === undefined ? -1 : field.value === true ? 0 : 1, about);
    case "options": return select(context, field, field.control.options, field.control.chosen, about);
    case "constant": return field.value === undefined ? html`<p class="quiet">not set</p>` : html`<p class="null-value"><code id=${id}>${safeText(writeJson(field.control.constant))}</code></p>`;
    default: return nothing;
  }
}

function select(context: FormContext, field: Field, options: { label: string; value: Json }[], chosen: number, about: string): TemplateResult {
  const changed = (event: Event) => {
    context.state.set(field.path, options[Number((event.target as HTMLSelectElement).value)]?.value);
    context.changed();
  };
  const isItem = typeof field.path.at(-1) === "number";
  return html`<select id=${fieldId(context, field, "value")} aria-describedby=${about || nothing} @change=${changed}>
    ${isItem ? nothing : html`<option value="-1" .selected=${live(chosen < 0)}>not set</option>`}
    ${options.map(({ label }, at) => html`<option value=${at} .selected=${live(at === chosen)}>${safeText(label)}</option>`)}</select>`;
}
