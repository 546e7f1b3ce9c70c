// A list that only renders the rows that can be seen. All rows have the same height.
import { html, type TemplateResult } from "lit";
import { PageElement } from "./element";

/** Rows that are rendered above and below what is visible. */
const spare = 10;

/** Browsers can't make elements taller than about 33 million pixels. */
export const tallest = 30_000_000;

export class Rows extends PageElement {
  static override properties = {
    count: { attribute: false },
    height: { attribute: false },
    columns: { attribute: false },
    row: { attribute: false },
    revision: { attribute: false },
  };

  declare count: number;
  /** The height of a row in rem. */
  declare height: number;
  /** The least width of a row in characters, or 0. */
  declare columns: number;
  declare row: (index: number) => TemplateResult;
  /** Changes when rows look different for another reason than their number. */
  declare revision: unknown;
  /** Called when the last rows come into view. */
  nearEnd: (() => void) | null = null;

  private observer: ResizeObserver | null = null;

  constructor() {
    super();
    this.count = 0;
    this.height = 2;
    this.columns = 0;
    this.row = () => html``;
    this.revision = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener("scroll", this.scrolled, { passive: true });
    this.observer = new ResizeObserver(() => this.requestUpdate());
    this.observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeEventListener("scroll", this.scrolled);
    this.observer?.disconnect();
  }

  get rowPixels(): number {
    return this.height * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  /** Scrolls as little as needed to make a row visible. */
  reveal(index: number): void {
    const pixels = this.rowPixels;
    const top = index * pixels;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + pixels > this.scrollTop + this.clientHeight) this.scrollTop = top + pixels - this.clientHeight;
    this.requestUpdate();
  }

  get rowsPerPage(): number {
    return Math.max(1, Math.floor(this.clientHeight / this.rowPixels) - 1);
  }

  private readonly scrolled = (): void => this.requestUpdate();

  protected override render(): TemplateResult {
    const pixels = this.rowPixels;
    const count = Math.min(this.count, Math.floor(tallest / pixels));
    const visible = Math.ceil(this.clientHeight / pixels) || 40;
    const first = Math.max(0, Math.min(Math.floor(this.scrollTop / pixels), count) - spare);
    const last = Math.min(count, first + visible + 2 * spare);
    const rows: TemplateResult[] = [];
    for (let index = first; index < last; index += 1) rows.push(this.row(index));
    if (this.nearEnd && last > count - 3 * spare) queueMicrotask(this.nearEnd);
    const width = this.columns ? `min-width:${this.columns}ch;` : "";
    // A property, not an attribute: the content security policy allows no style attributes.
    return html`<div class="rows-space" role="presentation" .style=${`height:${count * pixels}px;${width}`}>
      <div class="rows-window" role="presentation" .style=${`transform:translateY(${first * pixels}px)`}>${rows}</div>
    </div>`;
  }
}

customElements.define("overt-rows", Rows);
