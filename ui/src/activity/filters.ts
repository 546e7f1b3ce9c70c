// The filters of the timeline. They are in the address bar, and this form edits them.
import { html, nothing, type TemplateResult } from "lit";
import { filterNames, type FilterName, type Filters } from "../address";
import { safeText } from "../safe-text";

const times: [string, string][] = [
  ["", "Any time"], ["today", "Today"], ["yesterday", "Since yesterday"], ["7d", "Last 7 days"], ["30d", "Last 30 days"],
];
const outcomes: [string, string][] = [
  ["", "Any outcome"], ["ok", "Done"], ["refused", "Refused"], ["failed", "Failed"], ["cancelled", "Cancelled"], ["open", "Not ended"],
];
const texts: [FilterName, string, string][] = [
  ["client", "Client", "part of its name"], ["project", "Project", "a folder or its name"], ["server", "Server", "its name"],
  ["tool", "Tool", "its name"], ["changed", "Changed path", "a file or folder"], ["until", "Until", "14:00, 2026-11-15, 2h"],
];
const labels: Record<FilterName, string> = {
  client: "client", project: "project", server: "server", tool: "tool", outcome: "outcome", changed: "changed", since: "since", until: "until",
};

export interface FilterForm {
  filters: Filters;
  isOpen: boolean;
  set(name: FilterName, value: string): void;
  clear(): void;
  toggle(): void;
}

export function filterForm(form: FilterForm): TemplateResult {
  const active = filterNames.filter((name) => form.filters[name] && name !== "since" && name !== "outcome");
  return html`<form class="filters" aria-label="Filters" @submit=${(event: Event) => event.preventDefault()}>
    <div class="filter-row">
      ${select("since", "Time", times, form)}${select("outcome", "Outcome", outcomes, form)}
      <button type="button" class="small" aria-expanded=${form.isOpen} aria-controls="more-filters" @click=${form.toggle}>Filters</button>
      ${active.map((name) => html`<button type="button" class="chip" @click=${() => form.set(name, "")}>
        <span class="unseen">Remove the filter </span><span class="quiet">${labels[name]}</span> <bdi>${safeText(form.filters[name] ?? "")}</bdi> <span aria-hidden="true">×</span></button>`)}
      ${Object.keys(form.filters).length ? html`<button type="button" class="ghost small" @click=${form.clear}>Clear all</button>` : nothing}
    </div>
    <div class="filter-row fields" id="more-filters" ?hidden=${!form.isOpen}>${texts.map(([name, label, hint]) => html`
      <label><span>${label}</span><input type="text" name=${name} placeholder=${hint} autocomplete="off" spellcheck="false"
        .value=${form.filters[name] ?? ""} @change=${(event: Event) => form.set(name, (event.target as HTMLInputElement).value.trim())}></label>`)}</div>
  </form>`;
}

function select(name: FilterName, label: string, options: [string, string][], form: FilterForm): TemplateResult {
  const value = form.filters[name] ?? "";
  // A value that was typed into the address bar is an option too.
  const all = options.some(([one]) => one === value) ? options : [...options, [value, value] as [string, string]];
  return html`<label class="select"><span class="unseen">${label}</span><select name=${name}
    @change=${(event: Event) => form.set(name, (event.target as HTMLSelectElement).value)}>
    ${all.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${safeText(text)}</option>`)}</select></label>`;
}
