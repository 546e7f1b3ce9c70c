// Everything about one action.
import { html, nothing, type TemplateResult } from "lit";
import type { FilterName } from "../address";
import type { ActionDetails } from "../contract";
import { diffSection } from "../diff/section";
import { prettyJson } from "../inbox/pretty-json";
import "../long-text";
import { changeTemplate, formatMoment, untrusted } from "../text";
import { decisionTemplate } from "./decision";

export interface DetailsEvents {
  close(): void;
  undo(change: string): void;
  filter(name: FilterName, value: string): void;
  /** Why nothing can be changed from here, or null. */
  readOnly: string | null;
}

export function actionDetails(action: ActionDetails, events: DetailsEvents): TemplateResult {
  return html`<article class="details-card">
    <p class="asks quiet">${formatMoment(action.time)} · ${untrusted(action.clientName)}${action.projectName ? html` in ${untrusted(action.projectName)}` : nothing}</p>
    <h2>${untrusted(action.words)}</h2>
    ${action.ending ? html`<p class="pill tone-${action.tone}">${untrusted(action.ending)}</p>` : nothing}
    ${action.reason ? html`<p>${untrusted(action.reason)}</p>` : nothing}
    ${undoTemplate(action, events)}
    ${action.changes?.length ? html`<section class="plan" aria-label="Changes"><ul>${action.changes.map((change) => html`<li>${changeTemplate(change)}</li>`)}</ul></section>` : nothing}
    ${diffSection(action, "Changes of this action", `overt log ${action.shortChange ?? action.call}`)}
    ${action.decision ? decisionTemplate(action.decision) : nothing}
    <section aria-label="Facts"><dl class="facts">${action.facts.map(([name, text]) => html`<div><dt>${untrusted(name)}</dt>
      <dd><overt-long-text .text=${text}></overt-long-text></dd></div>`)}</dl></section>
    ${onlyButtons(action, events)}
    ${action.records.length ? html`<details class="more"><summary>Audit records</summary>${action.records.map((record) => html`
      <overt-long-text class="block" .text=${prettyJson(JSON.stringify(record))}></overt-long-text>`)}</details>` : nothing}
  </article>`;
}

function undoTemplate(action: ActionDetails, events: DetailsEvents): TemplateResult | typeof nothing {
  const { change } = action;
  if (action.canUndo && change) {
    return html`<p class="actions"><button type="button" class="danger" ?disabled=${events.readOnly !== null} @click=${() => events.undo(change)}>Undo…</button>
      ${events.readOnly ? html`<span class="quiet">This page is read-only.</span>` : nothing}</p>`;
  }
  return action.stays ? html`<p class="note">It can't be undone: ${untrusted(action.stays)}</p>` : nothing;
}

/** Buttons that filter the timeline by what this action has. */
function onlyButtons(action: ActionDetails, events: DetailsEvents): TemplateResult {
  const filters: [FilterName, string, string | null | undefined][] = [
    ["client", "this client", action.clientName], ["project", "this project", action.project],
    ["server", "this server", action.server], ["tool", "this tool", action.target],
  ];
  return html`<p class="actions"><span class="quiet">Show only</span>${filters.map(([name, label, value]) => value
    ? html`<button type="button" class="small" @click=${() => events.filter(name, value)}>${label}</button>` : nothing)}</p>`;
}
