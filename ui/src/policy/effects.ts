// What the text would change if it were saved: tools, calls of the last week, the file of the project.
import type { TemplateResult } from "lit";
import type { ApiError } from "../api";
import type { CallRow, Compared, Overlay, PolicyPreview, ToolRow } from "../contract";
import { html, lastPart, nothing, plural, safeText, untrusted, verdictPill } from "../shell/shared";
import { findingItem } from "./editor";

export interface EffectsParts {
  isChanged: boolean;
  isLooking: boolean;
  preview: PolicyPreview | null;
  failure: ApiError | null;
  retry(): void;
}

const mostRows = 50;

export function effectsTemplate({ isChanged, isLooking, preview, failure, retry }: EffectsParts): TemplateResult | typeof nothing {
  if (!isChanged) return nothing;
  return html`<section class="effects" aria-label="What would change" aria-busy=${isLooking}><h3>What would change</h3>
    ${failure ? html`<p class="note warning" role="alert">${safeText(failure.message)} <button type="button" class="small" @click=${retry}>Try again</button></p>` : nothing}
    ${preview ? found(preview) : failure ? nothing : html`<p class="quiet loading" role="status">Looking at the tools and the calls of the last week…</p>`}</section>`;
}

function found({ unusable, tools, calls, diff }: PolicyPreview): TemplateResult {
  if (unusable !== null) return html`<p class="note warning" role="status">It can't be saved: ${untrusted(unusable)}</p>`;
  return html`<div role="status"><p>${tools ? summary(tools, "tool", "Tools") : nothing} ${calls ? summary(calls, "call", "Calls of the last week") : nothing}</p></div>
    ${tools?.rows.length ? html`<ul class="changes">${tools.rows.slice(0, mostRows).map((row) => toolItem(row))}</ul>${rest(tools)}` : nothing}
    ${calls?.rows.length ? html`<h4>Calls of the last week</h4><ul class="changes">${calls.rows.slice(0, mostRows).map((row) => callItem(row))}</ul>${rest(calls)}` : nothing}
    ${diff ? html`<details class="more"><summary>Lines that change</summary><overt-diff .text=${diff} .label=${"Changes of the file"}></overt-diff></details>` : nothing}`;
}

function summary({ changed, all, leftOut }: Compared<unknown>, one: string, many: string): string {
  const left = leftOut ? ` (${plural(leftOut, one)} could not be decided again)` : "";
  return changed ? `${many}: ${changed} of ${all} would be decided otherwise${left}.` : `${many}: all ${all} stay as they are${left}.`;
}

function rest({ rows, changed }: Compared<unknown>): TemplateResult | typeof nothing {
  return rows.length > mostRows ? html`<p class="quiet">and ${plural(rows.length - mostRows, "more row", "more rows")}, ${changed} in all</p>` : nothing;
}

function toolItem(row: ToolRow): TemplateResult {
  return html`<li><span class="strong mono">${untrusted(row.tool)}</span> of ${untrusted(row.server)}${row.project ? html` in ${untrusted(lastPart(row.project))}` : nothing}:
    ${verdictPill(row.now.verdict)} <span aria-hidden="true">→</span><span class="unseen">becomes</span> ${row.then ? verdictPill(row.then.verdict) : nothing}
    <span class="quiet">${untrusted(row.then?.by ?? "")}</span></li>`;
}

function callItem(row: CallRow): TemplateResult {
  return html`<li>${plural(row.calls, "call")}: <span class="strong mono">${untrusted(row.tool)}</span> of ${untrusted(row.server)}
    ${verdictPill(row.now.verdict)} <span aria-hidden="true">→</span><span class="unseen">becomes</span> ${row.then ? verdictPill(row.then.verdict) : nothing}
    <span class="quiet">${untrusted(row.then?.by ?? "")}; the last: ${untrusted(row.sentence)}</span></li>`;
}

export function overlayTemplate(overlay: Overlay | null): TemplateResult | typeof nothing {
  if (!overlay) return nothing;
  const { path, problem, widens } = overlay;
  return html`<section class="block-section" aria-label="The file of the project"><h2>The file of the project</h2>
    <p class="quiet">${untrusted(path, "mono")}, for servers that are started with <code>--config</code>.</p>
    ${problem ? html`<p class="note warning">It says nothing here: ${untrusted(problem)}</p>`
      : widens.length ? html`<p class="note warning">It would allow more than your own file, at ${plural(widens.length, "place")}. Its policy can't: both hold. Its settings can.</p>
        <ul class="findings">${widens.map((place) => findingItem({ ...place, severity: "error" }))}</ul>`
      : html`<p class="note">It only narrows what your own file allows.</p>`}</section>`;
}
