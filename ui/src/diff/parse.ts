// Reads a unified diff into an index of its lines. The text itself is kept once and never split, so
// that a diff of many megabytes costs little more than its own length.
import { columnsOf } from "../safe-text";

export const enum Kind {
  /** A line outside of every hunk, or a note such as `\ No newline at end of file`. */
  Note,
  File,
  /** The second line of a file's heading. It has no row of its own. */
  FileRest,
  Hunk,
  Context,
  Removed,
  Added,
}

export interface FileSection {
  name: string;
  line: number;
  /** The first line after this file. */
  end: number;
  added: number;
  removed: number;
}

export interface DiffIndex {
  text: string;
  count: number;
  starts: Uint32Array;
  kinds: Uint8Array;
  oldNumbers: Uint32Array;
  newNumbers: Uint32Array;
  /** For a removed line the added line that took its place and the other way round, or -1. */
  partners: Int32Array;
  files: FileSection[];
  /** Columns of the longest line, for the width of the view. */
  columns: number;
}

/** Lines longer than this are cut, so no row is wider. */
export const longestShown = 2000;
const slice = 20_000;

/** Parses in slices and lets the page breathe between them. */
export async function parseDiff(text: string, signal: AbortSignal): Promise<DiffIndex> {
  const parser = new DiffParser(text);
  let deadline = performance.now() + 12;
  while (!parser.advance(slice)) {
    if (performance.now() < deadline) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    deadline = performance.now() + 12;
  }
  return parser.finish();
}

/** Parses at once, for short texts and tests. */
export function parseDiffNow(text: string): DiffIndex {
  const parser = new DiffParser(text);
  while (!parser.advance(slice));
  return parser.finish();
}

class DiffParser {
  private position = 0;
  private count = 0;
  private starts = new Uint32Array(1024);
  private kinds = new Uint8Array(1024);
  private oldNumbers = new Uint32Array(1024);
  private newNumbers = new Uint32Array(1024);
  private partners = new Int32Array(1024);
  private files: FileSection[] = [];
  private columns = 0;
  /** Lines of the hunk that are still to come. Only they decide where it ends: content can't. */
  private oldLeft = 0;
  private newLeft = 0;
  private oldNumber = 0;
  private newNumber = 0;
  private removedRun: number[] = [];
  private addedInRun = 0;

  constructor(private readonly text: string) {}

  /** Reads so many lines. True at the end of the text. */
  advance(lines: number): boolean {
    for (let left = lines; left > 0; left -= 1) {
      if (this.position >= this.text.length) return true;
      const start = this.position;
      const found = this.text.indexOf("\n", start);
      const end = found < 0 ? this.text.length : found;
      this.position = end + 1;
      this.line(start, end);
    }
    return this.position >= this.text.length;
  }

  finish(): DiffIndex {
    this.closeFile(this.count);
    const { text, count, files, columns } = this;
    return {
      text, count, files, columns,
      starts: this.starts, kinds: this.kinds, partners: this.partners,
      oldNumbers: this.oldNumbers, newNumbers: this.newNumbers,
    };
  }

  private line(start: number, end: number): void {
    const kind = this.kindOf(start, end);
    const at = this.push(start, kind);
    if (kind === Kind.Context || kind === Kind.Removed || kind === Kind.Added) this.content(at, kind);
    else this.endRun();
    this.measure(start, end);
  }

  private kindOf(start: number, end: number): Kind {
    const first = this.text[start];
    if (this.oldLeft > 0 || this.newLeft > 0) {
      if (first === "-" && this.oldLeft > 0) return Kind.Removed;
      if (first === "+" && this.newLeft > 0) return Kind.Added;
      if ((first === " " || start === end) && this.oldLeft > 0 && this.newLeft > 0) return Kind.Context;
      if (first === "\\") return Kind.Note;
      this.oldLeft = this.newLeft = 0;
    }
    if (first === "@") return this.hunk(start, end);
    if (first === "-" && this.text.startsWith("--- ", start) && this.text.startsWith("+++ ", end + 1)) {
      this.file(start, end);
      return Kind.File;
    }
    const afterFile = this.count > 0 && this.kinds[this.count - 1] === Kind.File;
    return afterFile && this.text.startsWith("+++ ", start) ? Kind.FileRest : Kind.Note;
  }

  private hunk(start: number, end: number): Kind {
    const heading = this.text.slice(start, Math.min(end, start + 200));
    const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(heading);
    if (!found) return Kind.Note;
    this.oldNumber = Number(found[1]);
    this.newNumber = Number(found[3]);
    this.oldLeft = Number(found[2] ?? 1);
    this.newLeft = Number(found[4] ?? 1);
    return Kind.Hunk;
  }

  private file(start: number, end: number): void {
    this.closeFile(this.count);
    const nextEnd = this.text.indexOf("\n", end + 1);
    const old = fileName(this.text.slice(start + 4, end));
    const now = fileName(this.text.slice(end + 5, nextEnd < 0 ? this.text.length : nextEnd));
    const name = old === now || old === null ? (now ?? "") : now === null ? old : `${old} → ${now}`;
    this.files.push({ name, line: this.count, end: 0, added: 0, removed: 0 });
  }

  private closeFile(end: number): void {
    const open = this.files.at(-1);
    if (open && open.end === 0) open.end = end;
  }

  private content(at: number, kind: Kind): void {
    const file = this.files.at(-1);
    if (kind !== Kind.Added) {
      this.oldNumbers[at] = this.oldNumber++;
      this.oldLeft -= 1;
    }
    if (kind !== Kind.Removed) {
      this.newNumbers[at] = this.newNumber++;
      this.newLeft -= 1;
    }
    if (kind === Kind.Context) return this.endRun();
    if (kind === Kind.Removed) {
      if (this.addedInRun) this.endRun();
      this.removedRun.push(at);
      if (file) file.removed += 1;
      return;
    }
    const partner = this.removedRun[this.addedInRun++];
    if (partner !== undefined) {
      this.partners[at] = partner;
      this.partners[partner] = at;
    }
    if (file) file.added += 1;
  }

  private endRun(): void {
    if (this.removedRun.length) this.removedRun = [];
    this.addedInRun = 0;
  }

  private measure(start: number, end: number): void {
    const last = Math.min(end, start + longestShown);
    let columns = 0;
    for (let at = start; at < last; at += 1) columns += columnsOf(this.text.charCodeAt(at));
    if (columns > this.columns) this.columns = columns;
  }

  private push(start: number, kind: Kind): number {
    if (this.count === this.starts.length) this.grow();
    const at = this.count++;
    this.starts[at] = start;
    this.kinds[at] = kind;
    this.partners[at] = -1;
    return at;
  }

  private grow(): void {
    const larger = <T extends Uint32Array | Uint8Array | Int32Array>(from: T, to: T): T => (to.set(from), to);
    const size = this.starts.length * 2;
    this.starts = larger(this.starts, new Uint32Array(size));
    this.kinds = larger(this.kinds, new Uint8Array(size));
    this.oldNumbers = larger(this.oldNumbers, new Uint32Array(size));
    this.newNumbers = larger(this.newNumbers, new Uint32Array(size));
    this.partners = larger(this.partners, new Int32Array(size));
  }
}

/** The name without the `a/` or `b/` before it; null for `/dev/null`. */
function fileName(name: string): string | null {
  const short = name.split("\t")[0] ?? name;
  return short === "/dev/null" ? null : short.replace(/^[ab]\//, "");
}

/** The text of a line, without its sign if it has one. */
export function lineText(diff: DiffIndex, line: number): string {
  const start = diff.starts[line] ?? 0;
  const next = line + 1 < diff.count ? (diff.starts[line + 1] ?? 0) - 1 : diff.text.length;
  const end = next > start && line + 1 === diff.count && diff.text.endsWith("\n") ? next - 1 : next;
  return diff.text.slice(diff.kinds[line]! >= Kind.Context ? start + 1 : start, end);
}
