// Revokes a grant, after a confirmation.
import { html, nothing, type TemplateResult } from "lit";
import { asApiError, type ApiError } from "../api";
import type { Grant } from "../contract";
import { safeText } from "../safe-text";
import type { Session } from "../session";
import { Dialog } from "../shell/dialog";
import { grantSentence } from "./sentence";

export class RevokeDialog extends Dialog {
  static override properties = { session: { attribute: false } };

  declare session: Session;
  protected heading = "Revoke a grant";
  done: (() => void) | null = null;
  private grant: Grant | null = null;
  private failure: ApiError | null = null;
  private isSending = false;

  open(grant: Grant): void {
    this.grant = grant;
    this.failure = null;
    this.show();
  }

  protected body(): TemplateResult {
    const { grant, failure } = this;
    if (!grant) return html``;
    return html`<div class="dialog-bar"><h2>Revoke ${safeText(grant.id)}?</h2></div>
      <div class="dialog-body"><p>${grantSentence(grant)}</p>
        <p class="quiet">${grant.says === "allow" ? "The next such call asks you again. Calls that have run have run." : "The next such call asks you instead of being refused."}</p>
        ${failure ? html`<p class="note warning" role="alert">${safeText(failure.message)}${failure.hint ? html` ${safeText(failure.hint)}` : nothing}</p>` : nothing}</div>
      <div class="dialog-actions"><button type="button" @click=${() => this.close()}>Keep it</button>
        <button type="button" class="danger filled" ?disabled=${this.isSending} @click=${() => void this.send(grant)}>Revoke</button></div>`;
  }

  private async send(grant: Grant): Promise<void> {
    this.isSending = true;
    this.requestUpdate();
    try {
      const { words } = await this.session.api.revoke(grant.id);
      this.close();
      this.session.announce(words);
      this.done?.();
    } catch (error) {
      this.failure = asApiError(error);
    }
    this.isSending = false;
    this.requestUpdate();
  }
}

customElements.define("overt-revoke", RevokeDialog);
