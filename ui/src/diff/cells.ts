// The rows of a diff as templates. All text of files is text nodes.
import { html, nothing, type TemplateResult } from "lit";
import { columnsOf, safeText } from "../safe-text";
import { plural } from "../text";
import { firstFold, none, type Layout, type Mode } from "./layout";
import { Kind, lineText, type DiffIndex } from "./parse";
import { firstWindow, openWindow, segmentsOf, type Segment, type Window } from "./segments";
import { changedRanges, type Ranges } from "./words";

export interface CellEvents {
  changed(): void;
  openFold(line: number): void;
  toggleFile(line: number): void;
  isOpen(line: number): boolean;
}

const classes: Record<number, string> = {
  [Kind.Context]: "context", [Kind.Removed]: "removed", [Kind.Added]: "added", [Kind.Note]: "remark", [Kind.Hunk]: "hunk",
};
const signs: Record<number, string> = { [Kind.Removed]: "−", [Kind.Added]: "+" };
/** Lines whose changed words are remembered. */
const mostRemembered = 2000;

export class Cells {
  private readonly ranges = new Map<number, Ranges>();
  private readonly windows = new Map<number, Window>();
  /** Columns of the longest line that was opened. */
  widest = 0;

  constructor(
    private readonly diff: DiffIndex,
    private readonly events: CellEvents,
  ) {}

  row(layout: Layout, index: number, mode: Mode): TemplateResult {
    const left = layout.left[index]!;
    const right = layout.right[index]!;
    if (left <= firstFold) return this.fold(layout, firstFold - left);
    const kind = this.diff.kinds[left === none ? right : left]!;
    if (kind === Kind.File) return this.file(left);
    if (kind === Kind.Hunk || kind === Kind.Note) {
      return html`<div class="line ${classes[kind]}"><span class="code">${this.code(left)}</span></div>`;
    }
    if (mode === "unified") {
      return html`<div class="line ${classes[kind]}">
        <span class="number">${this.number(this.diff.oldNumbers, left, kind !== Kind.Added)}</span>
        <span class="number">${this.number(this.diff.newNumbers, left, kind !== Kind.Removed)}</span>
        <span class="sign">${signs[kind] ?? " "}</span><span class="code">${this.code(left)}</span></div>`;
    }
    return html`<div class="line pair">${this.half(left, this.diff.oldNumbers)}${this.half(right, this.diff.newNumbers)}</div>`;
  }

  private half(line: number, numbers: Uint32Array): TemplateResult {
    if (line === none) return html`<span class="half blank"></span>`;
    const kind = this.diff.kinds[line]!;
    return html`<span class="half ${classes[kind]}"><span class="number">${numbers[line]}</span><span class="sign">${
      signs[kind] ?? " "}</span><span class="code">${this.code(line)}</span></span>`;
  }

  private number(numbers: Uint32Array, line: number, has: boolean): string {
    return has ? String(numbers[line]) : "";
  }

  private fold(layout: Layout, index: number): TemplateResult {
    const fold = layout.folds[index]!;
    return html`<div class="line fold"><button type="button" @click=${() => this.events.openFold(fold.from)}>
      ${plural(fold.to - fold.from - 6, "unchanged line")}</button></div>`;
  }

  private file(line: number): TemplateResult {
    const file = this.diff.files.find((one) => one.line === line);
    if (!file) return html`<div class="line"></div>`;
    return html`<div class="line file"><button type="button" aria-expanded=${this.events.isOpen(line)}
      @click=${() => this.events.toggleFile(line)}><span class="chevron" aria-hidden="true"></span>
      <bdi>${safeText(file.name)}</bdi></button>
      <span class="plus">+${file.added}</span> <span class="minus">−${file.removed}</span></div>`;
  }

  private code(line: number): (TemplateResult | typeof nothing)[] {
    const text = lineText(this.diff, line);
    const marked = this.marked(line, text);
    const window = this.windows.get(line) ?? firstWindow(text.length, marked);
    return segmentsOf(text, marked, window).map((segment) => this.segment(segment, line, text, window));
  }

  private segment(segment: Segment, line: number, text: string, window: Window): TemplateResult {
    if (segment.kind === "plain") return html`<bdi>${safeCode(segment.text)}</bdi>`;
    if (segment.kind === "marked") return html`<bdi class="word">${safeCode(segment.text)}</bdi>`;
    const open = () => {
      const opened = openWindow(window, segment.side, text.length);
      let columns = 0;
      for (let at = opened.start; at < opened.end; at += 1) columns += columnsOf(text.charCodeAt(at));
      this.widest = Math.max(this.widest, columns);
      this.windows.set(line, opened);
      this.events.changed();
    };
    return html`<button type="button" class="cut" @click=${open}>… ${plural(segment.hidden, "more character")} …</button>`;
  }

  private marked(line: number, text: string): Ranges {
    const partner = this.diff.partners[line]!;
    if (partner < 0) return [];
    const known = this.ranges.get(line);
    if (known) return known;
    const other = lineText(this.diff, partner);
    const isRemoved = this.diff.kinds[line] === Kind.Removed;
    const found = isRemoved ? changedRanges(text, other) : changedRanges(other, text);
    const mine = isRemoved ? found.before : found.after;
    const useful = isMostlyTheSame(mine, text) ? mine : firstOnly(mine, text);
    if (this.ranges.size >= mostRemembered) this.ranges.clear();
    this.ranges.set(line, useful);
    return useful;
  }
}

/** A tab stays a tab; everything else that can't be seen is escaped. */
function safeCode(text: string): string {
  return text.includes("\t") ? text.split("\t").map(safeText).join("\t") : safeText(text);
}

/** Marks help only where most of the line is the same. */
function isMostlyTheSame(marked: Ranges, text: string): boolean {
  const changed = marked.reduce((sum, [from, to]) => sum + to - from, 0);
  return changed <= 0.7 * text.trim().length;
}

/** In a long line the first change still says where to look. */
function firstOnly(marked: Ranges, text: string): Ranges {
  return text.length > 2000 ? marked : [];
}
