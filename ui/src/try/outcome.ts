// How a request went: running with progress, cancelled, failed, or its result.
import type { TemplateResult } from "lit";
import { formatMicros, html, nothing, plural, untrusted } from "../shell/shared";
import { contentList, jsonBlock, resourceContents, type ReadLink } from "./content";
import type { Problem } from "./contract";
import { metaOf, outcomeWord, type RequestRecord } from "./record";
import { isObject } from "./schema/json";
import { list } from "./schema/resolve";
import { text } from "./tool-facts";

export interface OutcomeActions {
  read: ReadLink;
  cancel(record: RequestRecord): void;
  /** Sends the call again with scopes that it asked for, if that is possible here. */
  grant?: (record: RequestRecord, scopes: string[]) => void;
}

const tones: Record<string, string> = { ok: "tone-change", "tool error": "tone-failed", failed: "tone-refused", cancelled: "tone-failed", running: "tone-read" };

export function outcomePill(record: RequestRecord): TemplateResult {
  const word = outcomeWord(record);
  return html`<span class="pill ${tones[word] ?? ""}">${word}</span>${record.milliseconds === null ? nothing : html` <span class="quiet numbers">${formatMicros(record.milliseconds * 1000)}</span>`}`;
}

export function outcome(record: RequestRecord, actions: OutcomeActions, outputProblems: Problem[] | null = null): TemplateResult {
  const { answer } = record;
  if (!answer) return running(record, actions);
  if (answer.kind === "problem") return html`<div class="note warning" role="alert"><p>${untrusted(answer.message)}</p>${answer.hint ? html`<p class="quiet">${untrusted(answer.hint)}</p>` : nothing}</div>`;
  if (answer.kind === "failure") {
    const { code, message, data } = answer.failure;
    return html`<div class="note warning" role="alert"><p><strong>Error ${untrusted(code)}.</strong> <overt-long-text .text=${message}></overt-long-text></p></div>
      ${scopes(record, actions)}${data === undefined ? nothing : html`<section aria-label="Data of the error"><h4>Data of the error</h4>${jsonBlock(data, "Data of the error")}</section>`}`;
  }
  const { result } = answer;
  const structured = result.get("structuredContent");
  return html`${result.get("isError") === true ? html`<p class="note warning" role="alert">The tool says that it failed.</p>` : nothing}
    ${scopes(record, actions)}
    ${result.has("content") ? html`<section aria-label="Content"><h4>Content</h4>${contentList(result.get("content"), actions.read)}</section>` : nothing}
    ${result.has("contents") ? html`<section aria-label="Contents"><h4>Contents</h4>${list(result.get("contents")).filter(isObject).slice(0, 200).map(resourceContents)}</section>` : nothing}
    ${result.has("messages") ? messages(record, actions) : nothing}
    ${structured === undefined ? nothing : html`<section aria-label="Structured content"><h4>Structured content</h4>${fitWords(outputProblems)}${jsonBlock(structured, "Structured content")}</section>`}
    ${["content", "contents", "messages", "structuredContent"].some((name) => result.has(name)) ? nothing : html`<p class="quiet">The server answered without content.</p>`}
    <details class="more"><summary>The whole result as JSON</summary>${jsonBlock(result, "Result")}${answer.meta.size ? html`<h4>Beside the result: _meta</h4>${jsonBlock(answer.meta, "Beside the result")}` : nothing}</details>`;
}

function running(record: RequestRecord, actions: OutcomeActions): TemplateResult {
  const { progress } = record;
  const done = progress && progress.total ? Math.max(0, Math.min(1, progress.progress / progress.total)) : null;
  return html`<div class="running" role="status"><p class="actions"><span>${record.isCancelled ? "Cancelled. The server may still answer." : "The server is working…"}</span>
      ${record.isCancelled ? nothing : html`<button type="button" class="small" @click=${() => actions.cancel(record)}>Cancel</button>`}</p>
    ${progress ? html`<p><progress aria-label="Progress" max="1" .value=${done ?? 0} ?hidden=${done === null}></progress>
      <span class="quiet numbers">${progress.progress}${progress.total === null ? nothing : ` of ${progress.total}`}</span> ${untrusted(progress.message)}</p>` : nothing}</div>`;
}

/** Scopes that the server asks for, in the result or beside the error. */
function scopes(record: RequestRecord, actions: OutcomeActions): TemplateResult | typeof nothing {
  const asked = metaOf(record).get("requested_scopes");
  const names = (typeof asked === "string" ? [asked] : list(asked).map(text)).filter(Boolean);
  const { grant } = actions;
  if (!names.length) return nothing;
  return html`<div class="note scopes-asked"><p>The server asks for ${plural(names.length, "scope")}:</p>
    <ul class="chips">${names.slice(0, 50).map((name) => html`<li>${untrusted(name, "mono")}</li>`)}</ul>
    ${grant ? html`<p class="actions"><button type="button" class="small" @click=${() => grant(record, names)}>Call again with ${names.length === 1 ? "this scope" : "these scopes"}</button></p>` : nothing}</div>`;
}

function fitWords(problems: Problem[] | null): TemplateResult | typeof nothing {
  if (!problems) return nothing;
  if (!problems.length) return html`<p class="quiet">It fits the output schema.</p>`;
  return html`<div class="note warning"><p>It does not fit the output schema of the tool.</p>
    <ul>${problems.slice(0, 20).map(({ path, message }) => html`<li>${untrusted(path || "/", "mono")}: ${untrusted(message)}</li>`)}</ul></div>`;
}

function messages(record: RequestRecord, actions: OutcomeActions): TemplateResult {
  const all = record.answer?.kind === "result" ? list(record.answer.result.get("messages")).filter(isObject) : [];
  return html`<section aria-label="Messages"><h4>${plural(all.length, "message")}</h4>${all.slice(0, 200).map((message) => {
    const content = message.get("content");
    return html`<div class="message"><p class="strong">${untrusted(text(message.get("role")))}</p>${contentList(Array.isArray(content) ? content : content === undefined ? [] : [content], actions.read)}</div>`;
  })}</section>`;
}

