// A diff with a heading for screen readers, and what is left out of a long one.
import { html, nothing, type TemplateResult } from "lit";
import type { WithDiff } from "../contract";
import { safeText } from "../safe-text";
import { formatBytes, untrusted } from "../text";
import "./view";

/** The last line of a diff of which Overt itself writes the beginning only. */
const tooLong = "\\ The rest is too long to be shown.\n";

/** `command` shows all of it in a terminal. */
export function diffSection(shown: WithDiff, label: string, command: string): TemplateResult | typeof nothing {
  const { diff, diffLeftOut: left } = shown;
  if (!diff) return nothing;
  const name = safeText(label);
  return html`<section aria-label=${`Diff: ${name}`}>
    ${left ? html`<p class="note warning" role="alert">This diff has ${formatBytes(left.of)}. The page shows its beginning; ${formatBytes(left.bytes)} are left out.
      ${untrusted(command, "mono")} shows all of it in a terminal.</p>` : diff.endsWith(tooLong)
      ? html`<p class="note warning" role="alert">This diff is too long. Overt shows its beginning, here and in a terminal.</p>` : nothing}
    <overt-diff .text=${diff} .label=${name}></overt-diff></section>`;
}
