// What a person must know before anything else: no token, no connection, read-only.
import { html, nothing, type TemplateResult } from "lit";
import { safeText } from "../safe-text";
import type { Session } from "../session";

export function signIn(): TemplateResult {
  return html`<main id="main" class="sign-in"><div class="empty"><img src="/icon.svg" alt="" width="40" height="40">
    <h1>This page needs its token</h1>
    <p>The token belongs to one launch of <code>overt ui</code>, so an old address stops working.</p>
    <p>Run this in a terminal. It opens the page with its token:</p>
    <pre><code>overt ui --open</code></pre></div></main>`;
}

export function banners(session: Session): TemplateResult {
  return html`<div class="banners">
    ${session.connection.state === "offline" ? html`<div class="banner warning" role="alert">
      <span><strong>Offline.</strong> ${safeText(session.connection.why)} The page tries again by itself.</span>
      <button type="button" class="small" @click=${() => session.retryNow()}>Try now</button></div>` : nothing}
    ${session.unwrapped.length ? html`<div class="banner warning" role="alert"><span><strong>Without Overt.</strong>
      ${session.unwrapped.slice(0, 8).map((line) => html`${safeText(line)}<br>`)}</span></div>` : nothing}
    ${session.readOnly ? html`<div class="banner" role="status"><span><strong>Read-only.</strong> ${safeText(session.readOnly)}</span></div>` : nothing}
  </div>`;
}
