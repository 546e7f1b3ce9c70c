// The text of the file, and what is wrong with it. A finding leads to its place in the text.
import type { TemplateResult } from "lit";
import type { Finding } from "../contract";
import { html, nothing, untrusted } from "../shell/shared";

export interface EditorParts {
  text: string;
  findings: Finding[];
  canEdit: boolean;
  changed(text: string): void;
}

const mostFindings = 100;

export function editorTemplate({ text, findings, canEdit, changed }: EditorParts): TemplateResult {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return html`<div class="policy-text" role="group" aria-label="As text">
    <label for="policy-text">Text</label>
    <textarea id="policy-text" class="mono" spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" rows="18" ?readonly=${!canEdit}
      aria-invalid=${errors ? "true" : "false"} aria-describedby="policy-findings" .value=${text}
      @input=${(event: Event) => changed((event.target as HTMLTextAreaElement).value)}></textarea>
    <div id="policy-findings" role="status">${findings.length ? html`<ul class="findings">${findings.slice(0, mostFindings).map((finding) => findingItem(finding))}
      ${findings.length > mostFindings ? html`<li class="quiet">and ${findings.length - mostFindings} more</li>` : nothing}</ul>` : nothing}</div></div>`;
}

export function findingItem(finding: Finding): TemplateResult {
  const { line, column, severity, problem, fix, at } = finding;
  const isError = severity === "error";
  const place = line === null ? null : `line ${line}${column === null ? "" : `, column ${column}`}`;
  return html`<li class=${isError ? "problem" : "quiet"}>${place ? html`<button type="button" class="link" @click=${() => goTo(line ?? 1, column ?? 1)}>${place}</button>: ` : nothing}${
    isError ? nothing : html`${untrusted(severity)}: `}${at ? html`${untrusted(at, "mono")} ` : nothing}${untrusted(problem)}; ${untrusted(fix)}</li>`;
}

/** Puts the cursor there. */
function goTo(line: number, column: number): void {
  const area = document.getElementById("policy-text");
  if (!(area instanceof HTMLTextAreaElement)) return;
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  // Columns count characters, places in the text count units of 16 bits.
  const units = [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  area.focus();
  area.setSelectionRange(start + units, start + (lines[line - 1] ?? "").length);
}
