// Checks that the audit logs were not changed, and shows the result of each.
import { html, nothing, type TemplateResult } from "lit";
import { asApiError, type ApiError } from "../api";
import type { VerifiedLog } from "../contract";
import { safeText } from "../safe-text";
import type { Session } from "../session";
import { Dialog } from "../shell/dialog";
import { untrusted } from "../text";

export class VerifyDialog extends Dialog {
  static override properties = { session: { attribute: false } };

  declare session: Session;
  protected heading = "Verify the logs";
  private logs: VerifiedLog[] | null = null;
  private failure: ApiError | null = null;

  open(): void {
    this.logs = this.failure = null;
    this.show();
    this.session.api.verify().then(
      ({ logs }) => {
        this.logs = logs;
        this.requestUpdate();
      },
      (error: unknown) => {
        this.failure = asApiError(error);
        this.requestUpdate();
      },
    );
  }

  protected body(): TemplateResult {
    const { logs, failure } = this;
    const broken = logs?.filter((log) => !log.ok).length ?? 0;
    return html`<div class="dialog-bar"><h2>Audit logs</h2></div>
      <div class="dialog-body" role="status">
      ${failure ? html`<p class="note warning">${safeText(failure.message)}</p>` : nothing}
      ${!logs && !failure ? html`<p class="quiet">Reading every record. This may take a few seconds…</p>` : nothing}
      ${logs ? html`<p>${!logs.length ? "There are no logs yet." : broken ? `${broken} of ${logs.length} logs were changed or are damaged.` : "Every log is as it was written."}</p>
        <ul class="verified">${logs.map((log) => html`<li class=${log.ok ? "ok" : "broken"}><span class="pill ${log.ok ? "tone-change" : "tone-refused"}">${log.ok ? "ok" : "broken"}</span>
          ${untrusted(log.name, "strong")} ${untrusted(log.words, "quiet")}</li>`)}</ul>` : nothing}</div>
      <div class="dialog-actions"><button type="button" @click=${() => this.close()}>Close</button></div>`;
  }
}

customElements.define("overt-verify", VerifyDialog);
