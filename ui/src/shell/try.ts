// The view Try: it is there only for `overt inspect`, and its program is loaded when it is opened.
import { html, nothing, type TemplateResult } from "lit";
import type { LaterPart } from "../lazy";
import type { Session } from "../session";
import { isTryAddress } from "../try/address";
import type {} from "../apps/contract";
import "../apps/frame";
import type {} from "../try/contract";

export const tryPath = "/?view=try";

export function canTry(session: Session): boolean {
  return session.hello?.inspect === true;
}

export function goToTry(how: "push" | "replace" = "push"): void {
  if (!isTryAddress(location.search)) history[how === "push" ? "pushState" : "replaceState"](null, "", tryPath);
  dispatchEvent(new Event("overt-navigate"));
}

/** The view stays in the document once it was opened, so that its calls go on. */
export function tryView(part: LaterPart, session: Session, isShown: boolean): TemplateResult | typeof nothing {
  if (part.isReady) return html`<overt-try class="view" ?hidden=${!isShown} .session=${session}></overt-try>`;
  if (!isShown) return nothing;
  if (canTry(session)) return html`<div class="view">${part.render(() => html``)}</div>`;
  return html`<div class="view"><div class="empty"><h1>No server to try</h1>${session.hello
    ? html`<p><code>overt inspect TARGET</code> connects to a server and opens this view.</p>` : html`<p class="quiet" role="status">Connecting…</p>`}</div></div>`;
}

export function tryLink(isCurrent: boolean, follow: (event: MouseEvent) => void): TemplateResult {
  return html`<a href=${tryPath} aria-current=${isCurrent ? "page" : nothing} @click=${follow}>Try</a>`;
}
