// Everything about one question, in the order in which a person needs it: what happens, to what,
// how much; who asks; what the server says; why it asks.
import { html, nothing, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import type { Question, QuestionDetails } from "../contract";
import { diffSection } from "../diff/section";
import "../long-text";
import type { Session } from "../session";
import { changeTemplate, formatMoment, plural, untrusted } from "../text";
import { planCounts } from "./list";
import { prettyJson } from "./pretty-json";
import "./review-page";

/**
 * Once the details are there, everything shown is from them: an answer sends their digest.
 * `replaced` says that it is not what was shown before.
 */
export function questionDetails(listed: Question, details: QuestionDetails | undefined, replaced: boolean, session: Session): TemplateResult {
  const question = details ?? listed;
  const { shown } = question;
  return html`<article class="details-card" data-question=${question.id} data-digest=${details?.digest ?? nothing}>
    <p class="asks quiet">${untrusted(question.client ?? "A client without a name")} wants to
      ${question.asks === "trust" && !shown.redefined ? html`use the new server` : html`run ${untrusted(question.tool, "strong mono")} of`}
      ${untrusted(shown.server || question.server, "strong")}${question.project ? html` in ${untrusted(question.project, "mono")}` : nothing}</p>
    <h2>${untrusted(headline(question))}</h2>
    ${replaced ? html`<p class="note warning" role="alert">This question changed while you read it. This is how it is now.</p>` : nothing}
    ${listed.calls > 1 ? html`<p class="quiet">${plural(listed.calls, "call")} like this one wait for the answer.</p>` : nothing}
    ${shown.proposed ? html`<p class="note">The client says that you chose ${untrusted(shown.proposed, "strong")} in its dialog. That ended with the session. It holds for longer only if you say so here.</p>` : nothing}
    ${redefinedTemplate(question)}
    ${irreversibleTemplate(question)}
    ${guardedTemplate(question)}
    ${planTemplate(question)}
    ${details ? diffSection(details, `Changes of ${details.id}`, `overt grants show ${details.id}`) : html`<p class="quiet loading" role="status">Loading the details…</p>`}
    ${details?.hasReviewPage ? keyed(details.digest, html`<overt-review-page .session=${session} .question=${details}></overt-review-page>`) : nothing}
    ${argumentLines(question)}
    ${effectTemplate(question)}
    ${shown.redefined ? nothing : html`${toolsTemplate("Tools that only read, as the server says", shown.reading_tools)}
    ${toolsTemplate("Tools that can change something", shown.changing_tools)}`}
    <details class="more"><summary>All details</summary>${allFacts(question)}</details>
  </article>`;
}

/** What happens. The arguments have their own section, so words that only repeat them are not shown. */
function headline({ shown, tool, intent, asks }: Question): string {
  if (shown.intent_is_generic && asks === "call" && !shown.changes) return shown.title || tool;
  return shown.intent || intent;
}

function irreversibleTemplate(question: Question): TemplateResult | typeof nothing {
  const irreversible = question.shown.changes?.irreversible;
  return irreversible
    ? html`<p class="note warning" role="alert"><strong>This can't be undone.</strong> ${untrusted(irreversible.why)}.</p>`
    : nothing;
}

function guardedTemplate(question: Question): TemplateResult | typeof nothing {
  const guarded = question.shown.changes?.guarded;
  return guarded
    ? html`<p class="note warning" role="alert"><strong>This can start programs or permit tools.</strong> ${untrusted(guarded)}.</p>`
    : nothing;
}

/** A tool that the person was not shown as it is, with what it was and is. */
function redefinedTemplate({ tool, shown }: Question): TemplateResult | typeof nothing {
  const { redefined } = shown;
  if (!redefined) return nothing;
  const text = (value: string | null) => (value === null ? "(nothing)" : html`<overt-long-text .text=${value}></overt-long-text>`);
  return html`<section class="note warning" role="alert" aria-label="What changed"><h3>${untrusted(tool, "mono")} ${redefined.is_new ? "is new" : "changed"} since you decided about this server</h3>
    ${redefined.members.length ? html`<dl class="facts">${redefined.members.map((member) => html`
      <div><dt>${untrusted(member.name)} was</dt><dd>${text(member.was)}</dd></div>
      <div><dt>${untrusted(member.name)} now</dt><dd>${text(member.now)}</dd></div>`)}</dl>`
    : redefined.is_new ? nothing : html`<p>What it was before is not kept, so it can't be compared.</p>`}
    ${redefined.others.length ? html`<p>Also new or changed: ${untrusted(redefined.others.slice(0, 8).join(", "), "mono")}</p>` : nothing}</section>`;
}

function planTemplate(question: Question): TemplateResult | typeof nothing {
  const { changes, plan_failure: failure } = question.shown;
  if (failure) return html`<p class="note warning">Overt could not preview this call: ${untrusted(failure)}</p>`;
  if (!changes) return nothing;
  return html`<section class="plan" aria-label="Plan"><h3>${planCounts(question) || "Nothing would change"}</h3>
    <ul>${changes.changes.map((change) => html`<li>${changeTemplate(change)}</li>`)}</ul></section>`;
}

/** Each line has the name of an argument and its value. */
function argumentLines(question: Question): TemplateResult | typeof nothing {
  const lines = question.shown.arguments ?? [];
  if (!lines.length) return nothing;
  return html`<section aria-label="Arguments"><h3>Arguments</h3><dl class="facts">${lines.map((line) => {
    const space = line.search(/[ :]/);
    const name = space > 0 ? line.slice(0, space) : line;
    const value = space > 0 ? line.slice(space + 1).trim() : "";
    return html`<div><dt>${untrusted(name)}</dt><dd><overt-long-text .text=${value}></overt-long-text></dd></div>`;
  })}</dl></section>`;
}

function effectTemplate(question: Question): TemplateResult | typeof nothing {
  const { effect, title, description } = question.shown;
  if (!effect && !title && !description) return nothing;
  return html`<section aria-label="What the server says"><h3>What the server says</h3>
    ${effect ? html`<p>${untrusted(effect)}</p>` : nothing}
    ${title || description ? html`<p class="quiet">${title ? untrusted(title, "strong") : nothing}${title && description ? ": " : nothing}${
      description ? html`<overt-long-text .text=${description}></overt-long-text>` : nothing}</p>` : nothing}</section>`;
}

function toolsTemplate(heading: string, tools: string[] | null | undefined): TemplateResult | typeof nothing {
  if (!tools?.length) return nothing;
  return html`<section><h3>${heading}</h3><ul class="chips">${tools.map((tool) => html`<li>${untrusted(tool, "mono")}</li>`)}</ul></section>`;
}

function allFacts(question: Question): TemplateResult {
  const scopes = (list: string[] | undefined) =>
    list?.length ? html`<ul class="plain">${list.map((scope) => html`<li>${untrusted(scope, "mono")}</li>`)}</ul>` : "–";
  return html`<dl class="facts">
    <div><dt>question</dt><dd class="mono">${untrusted(question.id)}</dd></div>
    <div><dt>why you are asked</dt><dd>${untrusted(question.shown.reason || question.reason)}</dd></div>
    <div><dt>client</dt><dd>${untrusted(question.client ?? "–")}</dd></div>
    <div><dt>server</dt><dd>${untrusted(question.server, "mono")}</dd></div>
    <div><dt>project</dt><dd>${untrusted(question.project ?? "–", "mono")}</dd></div>
    <div><dt>needs</dt><dd>${scopes(question.scopes)}</dd></div>
    ${question.wider?.length ? html`<div><dt>a wider answer allows</dt><dd>${scopes(question.wider)}</dd></div>` : nothing}
    <div><dt>asked</dt><dd>${formatMoment(question.asked)}</dd></div>
    <div><dt>closes</dt><dd>${formatMoment(question.until)}</dd></div>
  </dl>
  ${question.arguments ? html`<h3>Arguments as sent, secrets hidden</h3>
    <overt-long-text class="block" .text=${prettyJson(question.arguments)}></overt-long-text>` : nothing}`;
}
