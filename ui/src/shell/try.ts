// The view Try: it is there only for `overt inspect`, and its program is loaded when it is opened.
import { html, nothing, type TemplateResult } from "lit";
import { safeText } from "../safe-text";
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

/** Loads the program of the view once, and again if that failed. */
export class TryLoader {
  private state: "none" | "loading" | "ready" | "failed" = "none";
  private problem = "";

  constructor(private readonly changed: () => void) {}

  /** The view stays in the document once it was opened, so that its calls go on. */
  view(session: Session, isShown: boolean): TemplateResult | typeof nothing {
    if (this.state === "ready") return html`<overt-try class="view" ?hidden=${!isShown} .session=${session}></overt-try>`;
    if (!isShown) return nothing;
    if (!canTry(session)) {
      return html`<div class="view"><div class="empty"><h1>No server to try</h1>${session.hello
        ? html`<p><code>overt inspect TARGET</code> connects to a server and opens this view.</p>` : html`<p class="quiet" role="status">Connecting…</p>`}</div></div>`;
    }
    if (this.state === "none") void this.load();
    return html`<div class="view"><div class="empty">${this.state === "failed"
      ? html`<h1>This view can't be loaded</h1><p class="note warning" role="alert">${safeText(this.problem)}</p>
        <button type="button" @click=${() => void this.load()}>Try again</button>`
      : html`<p class="quiet" role="status">Loading…</p>`}</div></div>`;
  }

  private async load(): Promise<void> {
    this.state = "loading";
    try {
      // A variable, so that the file is not made part of this bundle.
      const file = "./try.js";
      await import(file);
      this.state = "ready";
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.state = "failed";
    }
    this.changed();
  }
}

export function tryLink(isCurrent: boolean, follow: (event: MouseEvent) => void): TemplateResult {
  return html`<a href=${tryPath} aria-current=${isCurrent ? "page" : nothing} @click=${follow}>Try</a>`;
}
