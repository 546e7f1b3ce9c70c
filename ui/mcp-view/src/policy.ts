// The content security policy of an app, as text. It runs in the sandbox page.
import { approvedDomains } from "./csp";
import type { ResourceCsp } from "./types";

/** What the frame of an app may show, and where it may go: a frame can always navigate itself. */
export const framePolicy = ({ frameDomains }: ResourceCsp): string => `frame-src ${frameDomains?.join(" ") || "'none'"}`;

/** Without declared domains it is the default of the specification. */
export function policyOf(declared: ResourceCsp, allowEval: boolean): string {
  const approved = approvedDomains(declared);
  const resources = approved.resourceDomains?.join(" ") ?? "";
  const inline = `'self' 'unsafe-inline' ${resources}`;
  const loaded = ["img", "media", "font"].map((kind) => `${kind}-src 'self' data: ${resources}`);
  return [
    "default-src 'none'",
    `script-src ${inline}${allowEval ? " 'unsafe-eval'" : ""}`,
    `style-src ${inline}`,
    ...loaded,
    `connect-src ${approved.connectDomains?.join(" ") || "'none'"}`,
    framePolicy(approved),
    `base-uri ${approved.baseUriDomains?.join(" ") || "'self'"}`,
    "object-src 'none'",
    "form-action 'none'",
  ].join(";");
}

/**
 * Puts the policy before everything else in the document, where no markup of the app can come first.
 * The parser merges the app's own `html` and `head` tags into what is there by then.
 */
export function withPolicy(html: string, policy: string): string {
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">${html}`;
}
