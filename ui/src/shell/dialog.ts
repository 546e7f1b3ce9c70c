// A modal dialog. The browser keeps the focus in it and closes it on Escape.
import { html, type TemplateResult } from "lit";
import { createRef, ref } from "lit/directives/ref.js";
import { PageElement } from "../element";

export abstract class Dialog extends PageElement {
  private readonly dialog = createRef<HTMLDialogElement>();
  private opener: Element | null = null;

  protected abstract heading: string;
  protected abstract body(): TemplateResult;

  get isOpen(): boolean {
    return this.dialog.value?.open ?? false;
  }

  show(): void {
    this.opener = document.activeElement;
    this.requestUpdate();
    void this.updateComplete.then(() => {
      if (this.dialog.value?.open) return;
      this.dialog.value?.showModal();
      this.opened();
    });
  }

  close(): void {
    this.dialog.value?.close();
  }

  protected opened(): void {}

  /** Called however the dialog was closed. */
  protected closed(): void {}

  protected override render(): TemplateResult {
    return html`<dialog ${ref(this.dialog)} class=${this.localName} aria-label=${this.heading}
      @close=${this.afterClose} @click=${this.clicked}>${this.body()}</dialog>`;
  }

  private readonly afterClose = (): void => {
    if (this.opener instanceof HTMLElement && this.opener.isConnected) this.opener.focus();
    this.closed();
  };

  /** A click on the backdrop closes. */
  private readonly clicked = (event: MouseEvent): void => {
    if (event.target === this.dialog.value) this.close();
  };
}
