// Draws the structured diff of a result, `_meta["dev.overt/diff"]`. All of it is text of somebody else.
import { html, nothing, type TemplateResult } from "lit-html";
import { safeText } from "../../src/safe-text";
import type { Json } from "./bridge";

const signs: Json = { added: "+", removed: "−", context: " " };

export function diffView(diff: Json | undefined): TemplateResult {
  const changes: Json[] = diff?.["changes"] ?? [];
  return html`${changes.map(changeView)}
    ${diff?.["truncated"] ? html`<p class="note">The rest is on its page.</p>` : nothing}`;
}

function changeView({ label, from, kind, added, removed, hunks, before, after }: Json): TemplateResult {
  const name = safeText(String(label));
  return html`<section>
    <h2><span class=${kind}>${kind}</span> <bdi>${from ? html`${safeText(from)} &rarr; ` : nothing}${name}</bdi>
      ${hunks ? html`<span class="counts"><ins>+${added}</ins> <del>&minus;${removed}</del></span>` : nothing}</h2>
    ${hunks
      ? html`<div class="lines" tabindex="0" role="group" aria-label="Lines of ${name}">${hunks.map(hunkView)}</div>`
      : html`<p class="note">${[before, after].filter(Boolean).map(sizeView)}</p>`}
  </section>`;
}

function hunkView({ old_start, new_start, lines }: Json): TemplateResult {
  let old = old_start;
  let now = new_start;
  return html`<div class="hunk">${lines.map(({ kind, text, words }: Json) => {
    const numbers = [kind === "added" ? "" : old++, kind === "removed" ? "" : now++];
    const parts = marked(text, words);
    const content = kind === "added" ? html`<ins>${parts}</ins>` : kind === "removed" ? html`<del>${parts}</del>` : parts;
    return html`<div class="line ${kind}"><span>${numbers[0]}</span><span>${numbers[1]}</span><span>${signs[kind]}</span><code>${content}</code></div>`;
  })}</div>`;
}

/** The text with its changed words marked. Ranges count code points. */
function marked(text: string, words: [number, number][] = []): unknown {
  const points = Array.from(text);
  const shown = (start: number, end?: number) => safeText(points.slice(start, end).join(""));
  let at = 0;
  return [...words.map(([start, end]) => {
    const part = html`${shown(at, start)}<mark>${shown(start, end)}</mark>`;
    at = end;
    return part;
  }), shown(at)];
}

function sizeView({ bytes, media_type, files, directories, entries = [] }: Json): string {
  const inside = files === undefined ? "" : ` in ${files} files and ${directories} folders: ${entries.slice(0, 20).join(", ")}${entries[20] ? " …" : ""}`;
  return safeText(`${sizeText(bytes)}${media_type ? `, ${media_type}` : ""}${inside}. `);
}

export const sizeText = (bytes: number): string =>
  bytes.toLocaleString("en", { notation: "compact", style: "unit", unit: "byte", unitDisplay: "long" });
