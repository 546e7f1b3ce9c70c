// The preview of a call: what it would change, and applying exactly that.
import type { TemplateResult } from "lit";
import { html, nothing, untrusted } from "../../shell/shared";
import { artifact } from "../artifacts";
import { diffText, isTruncated } from "../diff-text";
import { metaOf, outcomeWord, type RequestRecord } from "../record";
import { member, text } from "../tool-facts";
import type { Preview } from "./draft";

/** The diff of a result, if it has one. `whole` is the diff that was read from its address. */
export function changesOf(record: RequestRecord, whole: string | null): TemplateResult | typeof nothing {
  const diff = metaOf(record).get("dev.overt/diff");
  const shown = whole ?? diffText(diff);
  if (!shown) return nothing;
  return html`<overt-diff .text=${shown} .label=${"Changes"}></overt-diff>
    ${whole === null && isTruncated(diff) ? html`<p class="note">The diff is cut.</p>` : nothing}`;
}

/** The address of the whole diff, if the one in the result was cut or the result has none. */
export function wholeDiffAddress(record: RequestRecord): string {
  const meta = metaOf(record);
  const diff = meta.get("dev.overt/diff");
  return diff === undefined ? artifact(record, "diff") : isTruncated(diff) ? text(member(meta, "dev.overt/review", "diff")) : "";
}

export function applyBar(preview: Preview, isCurrent: boolean, apply: () => void): TemplateResult | typeof nothing {
  if (!preview.record.answer || outcomeWord(preview.record) !== "ok") return nothing;
  if (metaOf(preview.record).get("preview") !== true) return html`<p class="note warning" role="alert">The server does not say that this was a preview. The call may have had its effect.</p>`;
  if (!preview.plan) return html`<p class="note">Nothing was changed. The server gave no plan, so a call is not bound to this preview.</p>`;
  return html`<div class="note apply"><p>${isCurrent ? "Nothing was changed yet. Apply makes exactly this change, or nothing if something is different by then."
      : "The call was edited after this preview. Preview it again."}</p>
    <p class="actions"><button type="button" class="primary" data-apply ?disabled=${!isCurrent} @click=${apply}>Apply</button>
      <span class="quiet mono small-text">${untrusted(preview.plan)}</span></p></div>`;
}
