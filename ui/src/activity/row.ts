// A row of the timeline.
import { html, nothing, type TemplateResult } from "lit";
import type { Action } from "../contract";
import { safeText } from "../safe-text";
import { cutMiddle, formatClock, plural, untrusted } from "../text";
import type { TimelineRow } from "./timeline";

export interface RowEvents {
  open(index: number): void;
}

export function timelineRow(row: TimelineRow, index: number, count: number, isActive: boolean, isOpen: boolean, events: RowEvents): TemplateResult {
  if (row.kind === "day") return html`<div class="row day" role="presentation"><span>${row.label}</span></div>`;
  const action = row.kind === "reads" ? row.actions[0]! : row.action;
  const nested = row.kind === "action" && row.isNested;
  return html`<div class="row ${row.kind === "reads" ? "reads" : `tone-${action.tone}`} ${nested ? "nested" : ""}" role="option" id="row-${index}"
    aria-selected=${isActive} aria-setsize=${count} aria-posinset=${index + 1} data-open=${isOpen ? "yes" : nothing}
    @click=${() => events.open(index)}>
    <span class="row-time">${formatClock(action.time)}</span>
    ${untrusted(action.clientName, "row-client ellipsis")}
    ${untrusted(action.projectName, "row-project ellipsis")}
    ${row.kind === "reads" ? readsText(row.actions, row.isOpen) : actionText(action)}
  </div>`;
}

function actionText(action: Action): TemplateResult {
  return html`<span class="row-words" title=${cutMiddle(safeText(action.words), 400)}><span class="tone" aria-hidden="true"></span>${
      untrusted(cutMiddle(action.words, 400), "ellipsis")}</span>
    ${action.ending ? untrusted(action.ending, "row-ending ellipsis") : html`<span class="row-ending"></span>`}
    <span class="row-change mono">${action.shortChange ? safeText(action.shortChange) : nothing}</span>`;
}

function readsText(actions: Action[], isOpen: boolean): TemplateResult {
  const targets = [...new Set(actions.slice(0, 20).map((action) => action.words))].slice(0, 6).join(", ");
  return html`<span class="row-words"><span class="chevron" data-open=${isOpen ? "yes" : nothing} aria-hidden="true"></span>
    <span class="strong nowrap">${plural(actions.length, "read")}</span><span class="unseen">${isOpen ? ", unfolded" : ", folded"}</span>
    ${untrusted(cutMiddle(targets, 300), "quiet ellipsis")}</span><span class="row-ending"></span><span class="row-change"></span>`;
}
