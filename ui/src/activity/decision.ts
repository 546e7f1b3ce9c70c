// Why a call was allowed or refused: what the record says, and what every layer would say now.
import { html, nothing, type TemplateResult } from "lit";
import type { DecisionOf, Layer } from "../contract";
import { untrusted, verdictPill, verdictWords } from "../text";

export function decisionTemplate({ then, now }: DecisionOf): TemplateResult {
  const by = [
    then.layer ? html`decided by ${untrusted(then.layer)}` : null,
    then.rules.length ? html`rules ${untrusted(then.rules.join(", "))}` : null,
    then.grant ? html`grant ${untrusted(then.grant, "mono")}` : null,
    then.trust ? html`your trust in the server: ${untrusted(then.trust)}` : null,
  ].filter((part) => part !== null);
  return html`<section class="decision" aria-label="Decision"><h3>Decision</h3>
    <p>${then.verdict ? html`Then: ${untrusted(verdictWords(then.verdict), "strong")}` : "The record does not say what was decided."}${by.map((part) => html`, ${part}`)}.</p>
    ${now ? html`<details class="more"><summary>The same call now: ${verdictWords(now.verdict)}${now.decided_by ? html`, ${untrusted(now.decided_by.why)}` : nothing}</summary>
        <ul class="layers">${now.layers.map((layer) => layerItem(layer))}</ul>
        ${now.needed_scopes.length ? html`<p class="quiet">It needs</p><ul class="chips">${now.needed_scopes.map((scope) => html`<li>${untrusted(scope, "mono")}</li>`)}</ul>` : nothing}</details>`
      : html`<p class="quiet">The record does not say what the call needed, so it can't be decided again.</p>`}</section>`;
}

function layerItem(layer: Layer): TemplateResult {
  return html`<li>${verdictPill(layer.verdict)} <span class="strong">${untrusted(layer.layer)}</span> ${untrusted(layer.why)}${
    layer.change ? html`<br><span class="quiet">To change it: ${untrusted(layer.change)}</span>` : nothing}</li>`;
}
