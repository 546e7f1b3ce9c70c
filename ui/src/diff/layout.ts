// Decides which lines of a diff are on which row, unified or side by side, with folds.
import { Kind, type DiffIndex } from "./parse";

export type Mode = "unified" | "split";

/** Rows as pairs of lines. `left` alone is used for unified rows, files, hunks and notes. */
export interface Layout {
  count: number;
  /** A line, `none`, or a fold as `firstFold - index`. */
  left: Int32Array;
  right: Int32Array;
  folds: { from: number; to: number }[];
}

export const none = -1;
export const firstFold = -2;
/** Unchanged lines that stay on each side of a fold, and the shortest run that is folded. */
const around = 3;
const shortestFold = 12;

export function layOut(diff: DiffIndex, mode: Mode, openFolds: Set<number>, closedFiles: Set<number>): Layout {
  const builder = new LayoutBuilder(diff, mode, openFolds);
  let line = 0;
  let nextFile = 0;
  while (line < diff.count) {
    const file = diff.files[nextFile];
    if (file && line === file.line) {
      nextFile += 1;
      builder.single(line);
      line = closedFiles.has(file.line) ? file.end : line + 1;
      continue;
    }
    line = builder.from(line);
  }
  return builder.layout;
}

class LayoutBuilder {
  readonly layout: Layout;

  constructor(
    private readonly diff: DiffIndex,
    private readonly mode: Mode,
    private readonly openFolds: Set<number>,
  ) {
    this.layout = { count: 0, left: new Int32Array(diff.count), right: new Int32Array(diff.count), folds: [] };
  }

  single(line: number): void {
    this.row(line, none);
  }

  /** Lays out what begins at this line and returns the line after it. */
  from(line: number): number {
    const kind = this.diff.kinds[line]!;
    if (kind === Kind.FileRest) return line + 1;
    if (kind === Kind.Context) return this.context(line);
    if (this.mode === "split" && (kind === Kind.Removed || kind === Kind.Added)) return this.pairs(line);
    this.single(line);
    return line + 1;
  }

  private context(line: number): number {
    const end = this.runEnd(line, Kind.Context);
    const folded = end - line >= shortestFold && !this.openFolds.has(line);
    for (let at = line; at < end; at += 1) {
      if (folded && at === line + around) {
        this.layout.folds.push({ from: line, to: end });
        this.row(firstFold - (this.layout.folds.length - 1), none);
        at = end - around - 1;
      } else {
        this.row(at, this.mode === "split" ? at : none);
      }
    }
    return end;
  }

  private pairs(line: number): number {
    const removedEnd = this.runEnd(line, Kind.Removed);
    // A note about a missing last line break may be between the two runs.
    let addedStart = removedEnd;
    while (removedEnd > line && addedStart < this.diff.count && this.isNewlineNote(addedStart)) addedStart += 1;
    if (this.diff.kinds[addedStart] !== Kind.Added) addedStart = removedEnd;
    const addedEnd = this.runEnd(addedStart, Kind.Added);
    for (let at = 0; line + at < removedEnd || addedStart + at < addedEnd; at += 1) {
      this.row(line + at < removedEnd ? line + at : none, addedStart + at < addedEnd ? addedStart + at : none);
    }
    for (let at = removedEnd; at < addedStart; at += 1) this.single(at);
    return Math.max(addedEnd, removedEnd);
  }

  private isNewlineNote(line: number): boolean {
    return this.diff.kinds[line] === Kind.Note && this.diff.text[this.diff.starts[line]!] === "\\";
  }

  private runEnd(line: number, kind: Kind): number {
    let end = line;
    while (end < this.diff.count && this.diff.kinds[end] === kind) end += 1;
    return end;
  }

  private row(left: number, right: number): void {
    this.layout.left[this.layout.count] = left;
    this.layout.right[this.layout.count] = right;
    this.layout.count += 1;
  }
}
