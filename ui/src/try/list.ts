// The list of tools, resources or prompts.
import type { TemplateResult } from "lit";
import { html, nothing, safeText, untrusted } from "../shell/shared";
import type { JsonObject } from "./schema/json";
import { isApplication, member, text, titleOf } from "./tool-facts";

const rowHeight = 3.25;

/** What identifies an entry: the address of a resource, or a name. */
export function entryId(entry: JsonObject): string {
  return text(entry.get("uri")) || text(entry.get("uriTemplate")) || text(entry.get("name"));
}

export function entryList(entries: JsonObject[], selected: string, select: (id: string) => void, label: string): TemplateResult {
  return html`<overt-rows class="try-list" tabindex="0" role="list" aria-label=${label} .count=${entries.length} .height=${rowHeight} .revision=${{}}
    .row=${(index: number) => row(entries[index]!, selected, select)}></overt-rows>`;
}

function row(entry: JsonObject, selected: string, select: (id: string) => void): TemplateResult {
  const id = entryId(entry);
  const about = titleOf(entry) || text(entry.get("description")) || (entry.has("uri") || entry.has("uriTemplate") ? id : "");
  return html`<div role="listitem"><button type="button" class="entry" data-entry=${id} title=${safeText(id)} aria-current=${id === selected ? "true" : nothing} @click=${() => select(id)}>
    <span class="entry-name">${untrusted(text(entry.get("name")) || id, "mono strong ellipsis")}${badge(entry)}</span>
    <span class="quiet ellipsis entry-about">${untrusted(about.slice(0, 200))}</span></button></div>`;
}

function badge(entry: JsonObject): TemplateResult | typeof nothing {
  if (entry.has("uriTemplate")) return html`<span class="pill">template</span>`;
  if (isApplication(entry)) return html`<span class="pill">application</span>`;
  if (member(entry, "annotations", "readOnlyHint") === true) return html`<span class="pill tone-read">reads</span>`;
  return member(entry, "annotations", "destructiveHint") === true ? html`<span class="pill tone-refused">destroys</span>` : nothing;
}
