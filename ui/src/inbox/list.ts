// The list of questions, grouped by client and project.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Question } from "../contract";
import { safeText } from "../safe-text";
import { formatClock, formatLeft, lastPart, untrusted } from "../text";
import type { Group, InboxModel } from "./model";

export interface ListEvents {
  select(id: string): void;
  mark(id: string): void;
}

export function questionList(model: InboxModel, now: number, events: ListEvents): TemplateResult {
  return html`<div class="questions" role="listbox" aria-label="Questions" tabindex="0"
    aria-activedescendant=${model.selected ? optionId(model.selected) : nothing} data-keys="list">
    ${repeat(model.groups, (group) => group.key, (group, index) => groupTemplate(group, index, model, now, events))}
  </div>`;
}

function groupTemplate(group: Group, index: number, model: InboxModel, now: number, events: ListEvents): TemplateResult {
  return html`<div role="group" class="question-group" aria-labelledby="group-${index}">
    <div class="group-name" id="group-${index}" role="presentation" title=${safeText(group.project ?? "")}>
      ${untrusted(group.client ?? "A client without a name", "strong")}
      ${group.project ? html`<span class="quiet">in ${untrusted(lastPart(group.project))}</span>` : nothing}
    </div>
    ${repeat(group.questions, (question) => question.id, (question) => option(question, model, now, events))}
  </div>`;
}

function option(question: Question, model: InboxModel, now: number, events: ListEvents): TemplateResult {
  const isMarked = model.marked.has(question.id);
  const wait = waiting(question, now);
  return html`<div class="question" role="option" id=${optionId(question.id)}
    aria-selected=${model.selected === question.id} data-marked=${isMarked ? "yes" : nothing}
    @click=${(event: MouseEvent) => (event.ctrlKey || event.metaKey ? events.mark(question.id) : events.select(question.id))}>
    <span class="mark" aria-hidden="true" @click=${(event: Event) => {
      event.stopPropagation();
      events.mark(question.id);
    }}></span>
    <span class="question-text">${isMarked ? html`<span class="unseen">marked, </span>` : nothing}${
      untrusted(question.shown.intent || question.intent)}</span>
    <span class="question-facts quiet"><span>${formatClock(question.asked)}</span>
      ${untrusted(question.shown.server || question.server, "ellipsis")}${countsTemplate(question)}
      <span class="wait ${wait.urgent ? "urgent" : ""}">${wait.text}</span></span>
  </div>`;
}

function countsTemplate(question: Question): TemplateResult | typeof nothing {
  const text = planCounts(question);
  return html`${text ? html`<span class="ellipsis">${text}</span>` : nothing}${
    question.shown.changes?.irreversible ? html`<strong class="lost">can't be undone</strong>` : nothing}${
    question.shown.changes?.guarded ? html`<strong class="lost">can start programs</strong>` : nothing}${
    question.shown.redefined ? html`<strong class="lost">the tool changed</strong>` : nothing}`;
}

/** `2 changed, 1 deleted`, or nothing if there is no plan. */
export function planCounts(question: Question): string {
  const changes = question.shown.changes;
  if (!changes) return "";
  return (["created", "changed", "deleted", "moved"] as const)
    .filter((kind) => changes[kind] > 0)
    .map((kind) => `${changes[kind]} ${kind}`)
    .join(", ");
}

export function waiting(question: Question, now: number): { text: string; urgent: boolean } {
  const end = question.waits_until ? Date.parse(question.waits_until) : Number.NaN;
  if (Number.isNaN(end)) return { text: "nobody waits", urgent: false };
  const left = end - now;
  return left <= 0 ? { text: "gave up", urgent: false } : { text: `waits ${formatLeft(left)}`, urgent: left < 20_000 };
}

export function optionId(id: string): string {
  return `option-${id}`;
}
