// Shows a diff: unified or side by side, with changed words marked, folds that open, and only the
// rows that can be seen in the document.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { PageElement } from "../element";
import { plural } from "../text";
import "../rows";
import { tallest } from "../rows";
import { Cells } from "./cells";
import { layOut, type Layout, type Mode } from "./layout";
import { longestShown, parseDiff, parseDiffNow, type DiffIndex } from "./parse";

/** The height of a line in rem. The style sheet has the same. */
const lineHeight = 1.25;
/** Texts up to this length are parsed at once, so that they are there with the first frame. */
const shortText = 500_000;

export class DiffView extends PageElement {
  static override properties = { text: { attribute: false }, label: { attribute: false } };

  declare text: string;
  declare label: string;

  private diff: DiffIndex | null = null;
  private layout: Layout | null = null;
  private mode: Mode = storedMode();
  private cells: Cells | null = null;
  private openFolds = new Set<number>();
  private closedFiles = new Set<number>();
  private parsing: AbortController | null = null;

  constructor() {
    super();
    this.text = "";
    this.label = "Changes";
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.parsing?.abort();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("text")) return;
    this.openFolds = new Set();
    this.closedFiles = new Set();
    this.diff = this.layout = this.cells = null;
    this.parsing?.abort();
    if (this.text.length <= shortText) return this.parsed(parseDiffNow(this.text));
    const parsing = (this.parsing = new AbortController());
    parseDiff(this.text, parsing.signal).then(
      (diff) => this.parsed(diff),
      () => undefined,
    );
  }

  private parsed(diff: DiffIndex): void {
    this.diff = diff;
    this.cells = new Cells(diff, {
      changed: () => this.requestUpdate(),
      openFold: (line) => this.relayout(() => this.openFolds.add(line)),
      toggleFile: (line) => this.relayout(() => this.closedFiles.delete(line) || this.closedFiles.add(line)),
      isOpen: (line) => !this.closedFiles.has(line),
    });
    this.relayout(() => undefined);
  }

  private relayout(change: () => unknown): void {
    change();
    if (this.diff) this.layout = layOut(this.diff, this.mode, this.openFolds, this.closedFiles);
    this.requestUpdate();
  }

  private setMode(mode: Mode): void {
    this.mode = mode;
    localStorage.setItem("overt-diff", mode);
    this.relayout(() => undefined);
  }

  protected override render(): TemplateResult {
    const { diff, layout, cells } = this;
    if (!diff || !layout || !cells) return html`<p class="quiet" role="status">Reading the changes…</p>`;
    const added = diff.files.reduce((sum, file) => sum + file.added, 0);
    const removed = diff.files.reduce((sum, file) => sum + file.removed, 0);
    const rows = Math.min(layout.count, 30);
    const fits = Math.floor(tallest / (lineHeight * 16));
    return html`<div class="diff ${this.mode}">
      <div class="diff-bar">
        <span class="quiet">${plural(diff.files.length, "file")}
          <span class="plus">+${added}</span> <span class="minus">−${removed}</span></span>
        <div class="switch" role="group" aria-label="How changes are shown">
          ${this.modeButton("unified", "Unified")}${this.modeButton("split", "Side by side")}
        </div>
      </div>
      <overt-rows class="diff-rows" tabindex="0" role="region" aria-label=${this.label}
        .style=${`height:calc(${rows * lineHeight}rem + 0.75rem)`}
        .count=${layout.count} .height=${lineHeight} .revision=${{}}
        .columns=${this.columns(diff)} .row=${(index: number) => cells.row(layout, index, this.mode)}></overt-rows>
      ${layout.count > fits ? html`<p class="note">Only the first ${plural(fits, "line")} fit on a page.</p>` : nothing}
    </div>`;
  }

  private columns(diff: DiffIndex): number {
    // A line that is cut has two buttons beside its text.
    const buttons = diff.columns >= longestShown ? 72 : 4;
    const code = Math.max(diff.columns, this.cells?.widest ?? 0) + buttons;
    return this.mode === "split" ? 2 * (code + 8) : code + 16;
  }

  private modeButton(mode: Mode, label: string): TemplateResult {
    return html`<button type="button" aria-pressed=${this.mode === mode} @click=${() => this.setMode(mode)}>${label}</button>`;
  }
}

function storedMode(): Mode {
  return localStorage.getItem("overt-diff") === "split" ? "split" : "unified";
}

customElements.define("overt-diff", DiffView);
