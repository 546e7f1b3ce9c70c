// Fields that have fields: objects, lists, sets. Draws a whole form.
import type { TemplateResult } from "lit";
import { html, live, nothing, safeText, untrusted } from "../../shell/shared";
import type { Option } from "./alternatives";
import { control, description, fieldActions, fieldHead, fieldId, problemsOf, variantChoice, type FormContext } from "./field-view";
import type { Field } from "./fields";
import { pointer } from "./path";

export function formView(context: FormContext, field: Field): TemplateResult {
  const isWhole = field.path.length === 0;
  const { isRaw } = context.state.shown(field);
  const inner = isRaw ? null : group(context, field);
  if (isWhole && inner) return html`<div class="form-fields">${variantChoice(context, field)}${inner}${problemsOf(context, field)}</div>`;
  return inner ? groupField(context, field, inner) : leafField(context, field);
}

function leafField(context: FormContext, field: Field): TemplateResult {
  const name = field.name || "value";
  return html`<div class="field" data-path=${pointer(field.path)}>
    <div class="field-head">${field.isExtra ? renameInput(context, field) : nothing}
      <label for=${fieldId(context, field, "value")} class=${field.isExtra ? "unseen" : "mono strong"}>${untrusted(name)}</label>
      ${fieldHead(context, field)}${fieldActions(context, field)}</div>
    ${variantChoice(context, field)}${control(context, field)}${problemsOf(context, field)}${description(context, field)}</div>`;
}

function groupField(context: FormContext, field: Field, inner: TemplateResult): TemplateResult {
  return html`<fieldset class="field group" data-path=${pointer(field.path)}>
    <legend><span class="mono strong">${untrusted(field.name)}</span></legend>
    <div class="field-head">${field.isExtra ? renameInput(context, field) : nothing}${fieldHead(context, field)}${fieldActions(context, field)}</div>
    ${description(context, field)}${variantChoice(context, field)}${inner}${problemsOf(context, field)}</fieldset>`;
}

/** What is inside of an object, a list or a set, or `null` for any other field. */
function group(context: FormContext, field: Field): TemplateResult | null {
  if (field.value === null) return null;
  const inner = field.control;
  if (inner.kind === "set") return set(context, field, inner.options, inner.chosen);
  if (inner.kind === "list") return items(context, field, inner.items, inner.canAdd);
  if (inner.kind !== "object") return null;
  if (field.value === undefined && field.path.length) return html`<p class="quiet">not set</p>`;
  return html`${inner.fields.map((one) => formView(context, one))}
    ${inner.fields.length || inner.canAdd ? nothing : html`<p class="quiet">It has no members.</p>`}
    ${inner.canAdd ? addMember(context, field) : nothing}`;
}

function set(context: FormContext, field: Field, options: Option[], chosen: boolean[]): TemplateResult {
  return html`<ul class="checks">${options.map((option, at) => html`<li><label><input type="checkbox" .checked=${live(chosen[at] ?? false)}
    @change=${() => (context.state.toggle(field, option.value), context.changed())}> ${untrusted(option.label)}</label></li>`)}</ul>`;
}

function items(context: FormContext, field: Field, all: Field[], canAdd: boolean): TemplateResult {
  const { state, changed } = context;
  const name = safeText(field.name || "list");
  return html`<ol class="items">${all.map((item, at) => html`<li>${formView(context, item)}
      <span class="item-actions"><button type="button" class="field-action" aria-label=${`Move item ${at + 1} of ${name} up`} ?disabled=${at === 0}
        @click=${() => (state.moveUp(field, at), changed(pointer([...field.path, at - 1])))}>↑</button>
      <button type="button" class="field-action" aria-label=${`Remove item ${at + 1} of ${name}`} @click=${() => (state.set(item.path, undefined), changed(pointer(field.path)))}>×</button></span></li>`)}</ol>
    ${canAdd ? html`<p><button type="button" class="small" aria-label=${`Add an item to ${name}`} @click=${() => (state.addItem(field), changed(pointer([...field.path, all.length])))}>Add an item</button></p>` : nothing}`;
}

function addMember(context: FormContext, field: Field): TemplateResult {
  const id = fieldId(context, field, "new");
  const add = (event: Event) => {
    event.preventDefault();
    const input = document.getElementById(id) as HTMLInputElement;
    const name = input.value;
    const problem = name ? context.state.addMember(field, name) : "Give the member a name.";
    input.setCustomValidity(problem ?? "");
    if (problem) input.reportValidity();
    else input.value = "";
    context.changed(problem ? undefined : pointer([...field.path, name]));
  };
  return html`<p class="add-member"><label class="unseen" for=${id}>Name of another member of ${safeText(field.name || "the value")}</label>
    <input id=${id} type="text" class="mono" placeholder="another member" autocomplete="off" spellcheck="false"
      @input=${(event: Event) => (event.target as HTMLInputElement).setCustomValidity("")}
      @keydown=${(event: KeyboardEvent) => event.key === "Enter" && !event.ctrlKey && !event.metaKey && add(event)}>
    <button type="button" class="small" @click=${add}>Add</button></p>`;
}

function renameInput(context: FormContext, field: Field): TemplateResult {
  const renamed = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const problem = context.state.rename(field, input.value);
    input.setCustomValidity(problem ?? "");
    if (problem) input.reportValidity();
    context.changed();
  };
  return html`<input type="text" class="mono member-name" aria-label=${`Name of the member ${safeText(field.name)}`} autocomplete="off" spellcheck="false"
    .value=${live(field.name)} @change=${renamed}>`;
}
