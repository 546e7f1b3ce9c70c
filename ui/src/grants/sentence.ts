// What a grant says, as a sentence.
import { html, type TemplateResult } from "lit";
import type { Grant } from "../contract";
import { untrusted } from "../text";

export function grantSentence(grant: Grant): TemplateResult {
  const server = untrusted(grant.server ?? "every server", "strong");
  if (grant.tools === "every") return html`Every tool of ${server}`;
  if (grant.tools === "reading") return html`Every tool of ${server} that only reads`;
  return html`${untrusted(grant.tool ?? "a tool", "strong mono")} of ${server}`;
}
