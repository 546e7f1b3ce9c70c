// A list that only renders the rows that can be seen. All rows have the same height.
import { html, type PropertyValues, type TemplateResult } from "lit";
import { PageElement } from "./element";
import { rowWindow, type RowRange } from "./row-window";

/** Rows that are rendered above and below what is visible. */
const spare = 10;
/** More of the list is asked for when fewer rows than this are left below. */
const ahead = 200;
/** Visible rows before the first measurement. */
const usual = 20;

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
  /** Called when the last rows come near. */
  nearEnd: (() => void) | null = null;

  private observer: ResizeObserver | null = null;
  // Reading a measure lays out the page, so they are read only when the browser says that one changed.
  private rem = 16;
  private viewHeight = 0;
  private top = 0;
  private range: RowRange = { first: 0, end: 0 };
  private isStale = true;

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
    this.measureRem();
    this.observer = new ResizeObserver(this.resized);
    this.observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeEventListener("scroll", this.scrolled);
    this.observer?.disconnect();
  }

  get rowPixels(): number {
    return this.height * this.rem;
  }

  /** Scrolls as little as needed to make a row visible. */
  reveal(index: number): void {
    const pixels = this.rowPixels;
    const top = index * pixels;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + pixels > this.scrollTop + this.clientHeight) this.scrollTop = top + pixels - this.clientHeight;
    this.scrolled();
  }

  get rowsPerPage(): number {
    return Math.max(1, Math.floor(this.clientHeight / this.rowPixels) - 1);
  }

  private readonly scrolled = (): void => {
    this.top = this.scrollTop;
    const { first, end } = this.visibleRange();
    if (first !== this.range.first || end !== this.range.end) this.requestUpdate();
  };

  private readonly resized = (): void => {
    this.viewHeight = this.clientHeight;
    this.measureRem();
    this.scrolled();
    this.requestUpdate();
  };

  private measureRem(): void {
    this.rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  private get shownCount(): number {
    return Math.min(this.count, Math.floor(tallest / this.rowPixels));
  }

  private visibleRange(): RowRange {
    const pixels = this.rowPixels;
    const count = this.shownCount;
    const visible = Math.ceil(this.viewHeight / pixels) || usual;
    const first = Math.max(0, Math.min(Math.floor(this.top / pixels), count) - spare);
    return { first, end: Math.min(count, first + visible + 2 * spare) };
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    this.isStale = changed.size > 0;
  }

  protected override render(): TemplateResult {
    const pixels = this.rowPixels;
    const count = this.shownCount;
    const range = (this.range = this.visibleRange());
    if (this.nearEnd && range.end > count - ahead) queueMicrotask(this.nearEnd);
    const width = this.columns ? `min-width:${this.columns}ch;` : "";
    // A property, not an attribute: the content security policy allows no style attributes.
    return html`<div class="rows-space" role="presentation" .style=${`height:${count * pixels}px;${width}`}>
      <div class="rows-window" role="presentation" .style=${`transform:translateY(${range.first * pixels}px)`}>${rowWindow(range, this.row, this.isStale)}</div>
    </div>`;
  }
}

customElements.define("overt-rows", Rows);
