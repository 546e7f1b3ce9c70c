// Undoes a change: first what would happen, then the confirmation with the digest of what was shown.
import { html, nothing, type TemplateResult } from "lit";
import { asApiError, type ApiError } from "../api";
import type { UndoPreview } from "../contract";
import { diffSection } from "../diff/section";
import { safeLines, safeText } from "../safe-text";
import type { Session } from "../session";
import { Dialog } from "../shell/dialog";

export class UndoDialog extends Dialog {
  static override properties = { session: { attribute: false } };

  declare session: Session;
  protected heading = "Undo a change";
  private change = "";
  private preview: UndoPreview | null = null;
  private failure: ApiError | null = null;
  private isSending = false;
  /** Called after a change was undone. */
  done: (() => void) | null = null;

  open(change: string): void {
    this.change = change;
    this.show();
    void this.load();
  }

  private async load(): Promise<void> {
    this.preview = null;
    this.failure = null;
    this.requestUpdate();
    try {
      const preview = await this.session.api.undoPreview(this.change);
      if (preview.change === this.change || this.change.startsWith(preview.change)) this.preview = preview;
      else throw new Error("the preview is of another change");
    } catch (error) {
      this.failure = asApiError(error);
    }
    this.requestUpdate();
  }

  protected body(): TemplateResult {
    const { preview, failure } = this;
    return html`<div class="dialog-bar"><h2>Undo ${safeText(this.change)}</h2></div>
      <div class="dialog-body" tabindex="0" role="region" aria-label="Preview">
      ${failure ? html`<p class="note warning" role="alert">${safeText(failure.message)}${failure.hint ? html` ${safeText(failure.hint)}` : nothing}</p>` : nothing}
      ${preview ? html`<p class="lines">${safeLines(preview.text)}</p>${diffSection(preview, "What undoing changes", `overt undo ${preview.change}`)}` : nothing}
      ${!preview && !failure ? html`<p class="quiet" role="status">Looking at what would happen…</p>` : nothing}</div>
      <div class="dialog-actions">
        <button type="button" @click=${() => this.close()}>${preview ? "Keep it" : "Close"}</button>
        ${failure ? html`<button type="button" @click=${() => void this.load()}>Look again</button>` : nothing}
        ${preview ? html`<button type="button" class="danger filled" ?disabled=${this.isSending} @click=${() => void this.send(preview)}>Undo this change</button>` : nothing}
      </div>`;
  }

  private async send(preview: UndoPreview): Promise<void> {
    this.isSending = true;
    this.requestUpdate();
    try {
      const { words } = await this.session.api.undo(preview.change, preview.digest);
      this.close();
      this.session.announce(words);
      this.done?.();
    } catch (error) {
      // What was shown no longer holds: it must be looked at again.
      this.preview = null;
      this.failure = asApiError(error);
    }
    this.isSending = false;
    this.requestUpdate();
  }
}

customElements.define("overt-undo", UndoDialog);
