// A text of any length: its beginning, and a fold that opens more of it.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { PageElement } from "./element";
import { safeLines } from "./safe-text";
import { plural } from "./text";

const first = 2000;
const step = 20_000;

export class LongText extends PageElement {
  static override properties = { text: { attribute: false } };

  declare text: string;
  private shown = first;

  constructor() {
    super();
    this.text = "";
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("text")) this.shown = first;
  }

  protected override render(): TemplateResult {
    const hidden = this.text.length - this.shown;
    return html`<bdi class="long-text">${safeLines(this.text.slice(0, this.shown))}</bdi>${hidden > 0
      ? html`<button type="button" class="cut" @click=${this.more}>… ${plural(hidden, "more character")}</button>`
      : nothing}`;
  }

  private readonly more = (): void => {
    this.shown += step;
    this.requestUpdate();
  };
}

customElements.define("overt-long-text", LongText);
