// What the file says, item by item. Every change goes to the text beside it; nothing is saved from here.
import type { TemplateResult } from "lit";
import type { ApiError } from "../api";
import type { PolicyEdit, PolicyForm, PolicySubject } from "../contract";
import { html, nothing, safeText, untrusted } from "../shell/shared";

export interface FormParts {
  form: PolicyForm | null;
  canEdit: boolean;
  caution: string | null;
  failure: ApiError | null;
  edit(change: PolicyEdit): Promise<void>;
}

export function formTemplate(parts: FormParts): TemplateResult {
  const { form, canEdit, caution, failure } = parts;
  return html`<div class="policy-form" role="group" aria-label="As a form">
    ${form ? html`
      ${form.lists.map(({ list, means, items }) => html`<section><h3>${means}</h3>
        <ul class="items">${items.map((item) => html`<li>${untrusted(item, "mono")}${removeButton(parts, item, { "remove-item": { list, item } })}</li>`)}
          ${items.length ? nothing : html`<li class="quiet">nothing</li>`}</ul></section>`)}
      ${form.rules.length ? html`<section><h3>Rules</h3><ul class="items">${form.rules.map((rule) => html`<li>
        <span>${untrusted(rule.id, "strong")} <span class="quiet">${untrusted(rule.action)}${rule.when ? html` when ${untrusted(rule.when)}` : " every call"}${
          rule.reason ? html`: ${untrusted(rule.reason)}` : nothing}</span></span>${removeButton(parts, rule.id, { "remove-rule": { id: rule.id } })}</li>`)}</ul></section>` : nothing}
      ${!form.lists.length && !form.rules.length ? html`<p class="quiet">The file allows and refuses nothing by itself.</p>` : nothing}
      ${form.others.length ? html`<p class="quiet">Only in the text: ${untrusted(form.others.join(", "), "mono")}</p>` : nothing}`
      : html`<p class="quiet">The text can't be shown as a form while it has mistakes.</p>`}
    ${canEdit && form ? addForm(parts) : nothing}
    ${caution ? html`<p class="note" role="status">${safeText(caution)}</p>` : nothing}
    ${failure ? html`<p class="note warning" role="alert">${safeText(failure.message)}${failure.hint ? html` ${safeText(failure.hint)}` : nothing}</p>` : nothing}</div>`;
}

function removeButton({ canEdit, edit }: FormParts, name: string, change: PolicyEdit): TemplateResult | typeof nothing {
  return canEdit ? html`<button type="button" class="small ghost" aria-label=${`Remove ${safeText(name)}`} @click=${() => void edit(change)}>Remove</button>` : nothing;
}

function addForm({ edit }: FormParts): TemplateResult {
  const submitted = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const values = new FormData(form);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const subject: PolicySubject = { kind: text("kind") as PolicySubject["kind"], what: text("what") };
    if (subject.kind === "tool" && text("server")) subject.server = text("server");
    if (subject.kind === "path" && values.has("partly")) subject.partly = true;
    void edit(text("change") === "permit" ? { permit: subject } : { forbid: subject });
  };
  return html`<form class="add-form" aria-label="Add" @submit=${submitted}>
    <h3>Add</h3>
    <div class="filter-row fields">
      <label><span>Do</span><select name="change"><option value="forbid">Forbid</option><option value="permit">Allow without asking</option></select></label>
      <label><span>Kind</span><select name="kind"><option value="tool">a tool</option><option value="server">a server</option><option value="path">a path</option></select></label>
      <label><span>Name</span><input type="text" name="what" required autocomplete="off" spellcheck="false" placeholder="delete_repo, github, /srv/data"></label>
      <label><span>Of server</span><input type="text" name="server" autocomplete="off" spellcheck="false" placeholder="every server"></label>
      <label class="check"><input type="checkbox" name="partly"> <span>Path: forbid only changing, allow only reading</span></label>
      <button type="submit">Add to the text</button></div></form>`;
}
