// How far a server is believed, and changing it.
import type { TemplateResult } from "lit";
import type { ApiError } from "../api";
import type { ServerUse } from "../contract";
import type { Session } from "../session";
import { asApiError, html, nothing, PageElement, safeText } from "../shell/shared";

const choices: [string, string][] = [
  ["", "not decided: its next call asks"], ["changes", "ask me for changes"], ["deletes", "ask me for deletes"], ["everything", "ask me for everything"],
  ["nothing", "ask me for nothing, only record"],
];

export class TrustPart extends PageElement {
  static override properties = { session: { attribute: false }, server: { attribute: false }, readOnly: { type: Boolean } };

  declare session: Session;
  declare server: ServerUse;
  declare readOnly: boolean;
  /** Called after it was changed. */
  done: (() => void) | null = null;
  private failure: ApiError | null = null;
  private isSending = false;

  protected override render(): TemplateResult {
    const { server } = this;
    const now = safeText(server.trust ?? "");
    const all = choices.some(([value]) => value === now) ? choices : [...choices, [now, now] as [string, string]];
    return html`<form class="filter-row trust-form" aria-label="Trust" @submit=${(event: SubmitEvent) => void this.submitted(event)}>
      <label class="select"><span class="unseen">Trust in this server</span><select name="trust" ?disabled=${this.readOnly}>
        ${all.map(([value, text]) => html`<option value=${value} ?selected=${value === now}>${safeText(text)}</option>`)}</select></label>
      <button type="submit" class="small" ?disabled=${this.readOnly || this.isSending}>Change</button>
      ${this.failure ? html`<span class="problem" role="alert">${safeText(this.failure.message)}${this.failure.hint ? html` ${safeText(this.failure.hint)}` : nothing}</span>` : nothing}</form>`;
  }

  private async submitted(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const trust = String(new FormData(event.target as HTMLFormElement).get("trust") ?? "");
    const { server } = this;
    if (trust === safeText(server.trust ?? "")) return;
    this.isSending = true;
    this.failure = null;
    this.requestUpdate();
    try {
      const { words } = await this.session.api.setTrust(server.identity ?? server.name, server.project, trust || null, server.trust);
      this.session.announce(words);
      this.done?.();
    } catch (error) {
      this.failure = asApiError(error);
    }
    this.isSending = false;
    this.requestUpdate();
  }
}

customElements.define("overt-trust", TrustPart);
