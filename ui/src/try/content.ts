// Content of results, prompts and resources. All text is text nodes; images are data addresses; links
// are read through the server and never followed.
import type { TemplateResult } from "lit";
import { html, nothing, PageElement, plural, safeText, untrusted } from "../shell/shared";
import { addressOf } from "./artifacts";
import { decode, isImage, save, sizeOf } from "./bytes";
import { isObject, writeJson, type Json, type JsonObject } from "./schema/json";
import { list } from "./schema/resolve";
import { member, text } from "./tool-facts";

/** Reads a resource that a link names. */
export type ReadLink = (uri: string) => void;

const mostItems = 200;

export function contentList(items: Json | undefined, read: ReadLink): TemplateResult {
  const all = list(items);
  return html`<ol class="content">${all.slice(0, mostItems).map((item) => html`<li>${contentItem(item, read)}</li>`)}</ol>
    ${all.length > mostItems ? html`<p class="note">Only the first ${mostItems} of ${plural(all.length, "item")} are shown. The JSON has all of them.</p>` : nothing}
    ${all.length ? nothing : html`<p class="quiet">The content is empty.</p>`}`;
}

export function contentItem(item: Json, read: ReadLink): TemplateResult {
  if (!isObject(item)) return jsonBlock(item);
  const audience = list(member(item, "annotations", "audience")).map(text).filter(Boolean);
  const mark = audience.length ? html`<p class="quiet small-text">for ${untrusted(audience.join(" and "))}</p>` : nothing;
  return html`${mark}${byType(item, read)}`;
}

function byType(item: JsonObject, read: ReadLink): TemplateResult {
  const type = text(item.get("mimeType"));
  switch (item.get("type")) {
    case "text": return textBlock(text(item.get("text")));
    case "image": return image(text(item.get("data")), type);
    case "audio": return html`<overt-audio .data=${text(item.get("data"))} .type=${type}></overt-audio>`;
    case "resource_link": case "review": case "diff": return link(item, read);
    case "resource": {
      const resource = item.get("resource");
      return isObject(resource) ? resourceContents(resource) : jsonBlock(item);
    }
    default: return jsonBlock(item);
  }
}

/** One item of the `contents` of a resource. */
export function resourceContents(contents: JsonObject): TemplateResult {
  const uri = text(contents.get("uri"));
  const type = text(contents.get("mimeType"));
  const blob = contents.get("blob");
  const head = html`<p class="quiet small-text">${untrusted(uri, "mono")}${type ? html` · ${untrusted(type)}` : nothing}</p>`;
  if (typeof blob !== "string") return html`${head}${textBlock(text(contents.get("text")))}`;
  if (isImage(type)) return html`${head}${image(blob, type)}`;
  if (type.startsWith("audio/")) return html`${head}<overt-audio .data=${blob} .type=${type}></overt-audio>`;
  return html`${head}${savable(blob, type, uri)}`;
}

export function textBlock(value: string): TemplateResult {
  return value ? html`<overt-long-text class="block" tabindex="0" role="group" aria-label="Text" .text=${value}></overt-long-text>` : html`<p class="quiet">An empty text.</p>`;
}

export function jsonBlock(value: Json, label = "JSON"): TemplateResult {
  return html`<overt-json .value=${value} .label=${label}></overt-json>`;
}

/** A value as JSON. It is written once, however often the parts around it are drawn. */
class JsonBlock extends PageElement {
  static override properties = { value: { attribute: false }, label: { attribute: false } };

  declare value: Json;
  declare label: string;

  protected override render(): TemplateResult {
    return html`<overt-long-text class="block" tabindex="0" role="group" aria-label=${this.label} .text=${writeJson(this.value, "  ")}></overt-long-text>`;
  }
}

customElements.define("overt-json", JsonBlock);

function image(data: string, type: string): TemplateResult {
  if (!isImage(type) || !/^[A-Za-z0-9+/\s]*=*\s*$/.test(data.slice(0, 10_000))) {
    return html`<p class="note warning">This image can't be shown: its type is ${untrusted(type || "missing")}.</p>`;
  }
  return html`<img class="content-image" src=${`data:${type};base64,${data}`} alt=${`Image, ${safeText(type)}, ${sizeOf(data)} bytes`}>`;
}

function savable(data: string, type: string, uri: string): TemplateResult {
  const store = () => {
    const bytes = decode(data);
    if (bytes) save(bytes, "application/octet-stream", uri.split("/").at(-1) ?? "content");
  };
  return html`<p class="actions"><span>${sizeOf(data)} bytes of ${untrusted(type || "an unknown type")}</span>
    <button type="button" class="small" @click=${store}>Save…</button></p>`;
}

function link(item: JsonObject, read: ReadLink): TemplateResult {
  const uri = addressOf(item);
  const about = text(item.get("description"));
  return html`<div class="resource-link"><p><span class="strong">${untrusted(text(item.get("title")) || text(item.get("name")) || text(item.get("type")))}</span>
      ${untrusted(uri, "mono")} <span class="quiet">${untrusted(text(item.get("mimeType")))}</span></p>
    ${about ? html`<p class="quiet">${untrusted(about)}</p>` : nothing}
    <button type="button" class="small" aria-label=${`Read ${safeText(uri)}`} @click=${() => read(uri)}>Read</button></div>`;
}
