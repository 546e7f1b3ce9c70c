// What a tool says about itself: description, hints, facts of its card, schemas.
import type { TemplateResult } from "lit";
import { html, nothing, untrusted } from "../../shell/shared";
import { jsonBlock } from "../content";
import type { JsonObject } from "../schema/json";
import { appAddress, cardFacts, hasPreview, hintWords, intentTemplate, text, titleOf } from "../tool-facts";

export function aboutTool(tool: JsonObject): TemplateResult {
  const facts: [string, string][] = [
    ["intent", intentTemplate(tool)], ["app", appAddress(tool)], ...cardFacts(tool),
  ].filter((fact): fact is [string, string] => fact[1] !== "");
  const description = text(tool.get("description"));
  return html`<header class="tool-head"><h2>${untrusted(text(tool.get("name")), "mono")}</h2>
      ${titleOf(tool) ? html`<p class="quiet">${untrusted(titleOf(tool))}</p>` : nothing}</header>
    <ul class="chips">${hintWords(tool).map((words) => html`<li>${words}</li>`)}${hasPreview(tool) ? html`<li>has a preview</li>` : nothing}</ul>
    ${description ? html`<overt-long-text .text=${description}></overt-long-text>` : html`<p class="quiet">The tool has no description.</p>`}
    <details class="more"><summary>Facts and schemas</summary>
      ${facts.length ? html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${untrusted(name)}</dt><dd>${untrusted(value)}</dd></div>`)}</dl>` : nothing}
      ${(["inputSchema", "outputSchema", "annotations", "_meta"] as const).map((name) => {
        const value = tool.get(name);
        return value === undefined ? nothing : html`<h4>${name}</h4>${jsonBlock(value, name)}`;
      })}</details>`;
}
