// What a file looks like: text, an image, or what is known about it.
import { html, nothing, type TemplateResult } from "lit-html";
import { safeLines, safeText } from "../../src/safe-text";
import { callTool, textOf, type Json } from "../shared/bridge";
import { sizeText } from "../shared/diff";

export interface FilePreview {
  path: string;
  text?: string;
  image?: string;
  info?: Json;
  error?: string;
}

const mostLines = 400;
const isImage = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

export async function readPreview(path: string): Promise<FilePreview> {
  let result = await callTool("read_file", { path, limit: mostLines });
  const info = result.structuredContent ?? {};
  if (result.isError) return { path, error: textOf(result) };
  if (info["content"] !== undefined) return { path, info, text: info["content"] };
  if (isImage.test(info["mime_type"])) {
    result = await callTool("read_file", { path, binary: true });
    const { data, mimeType } = result.content?.find((item) => item["type"] === "image") ?? {};
    if (isImage.test(mimeType) && /^[\w+/=]*$/.test(data)) return { path, info, image: `data:${mimeType};base64,${data}` };
  }
  return { path, info, error: textOf(result) };
}

export function previewView({ path, text, image, info, error }: FilePreview): TemplateResult {
  const name = safeText(path);
  return html`<h1><bdi>${name}</bdi></h1>
    ${info ? html`<p class="note">${sizeText(info["size"])}, ${safeText(String(info["mime_type"]))}${text !== undefined && info["truncated"] ? `, the first ${info["count"]} of ${info["total_lines"] ?? "many"} lines` : ""}</p>` : nothing}
    ${text !== undefined ? html`<pre tabindex="0" role="group" aria-label="Text of ${name}">${safeLines(text)}</pre>` : nothing}
    ${image ? html`<img src=${image} alt="The image ${name}">` : nothing}
    ${error ? html`<p class="note">${safeLines(error)}</p>` : nothing}`;
}
