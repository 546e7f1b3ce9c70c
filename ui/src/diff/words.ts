// Which parts of a changed line differ from the line that it replaces.

/** Ranges of a text, as start and end, in order and without overlap. */
export type Ranges = [number, number][];

/** Longer middles are marked as a whole: comparing their words costs more than it shows. */
const longestMiddle = 4000;
const mostWords = 400;

export function changedRanges(before: string, after: string): { before: Ranges; after: Ranges } {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix += 1;
  let suffix = 0;
  while (
    suffix < shorter - prefix &&
    before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
  ) suffix += 1;
  prefix = backToWord(before, after, prefix);
  suffix = forwardToWord(before, after, suffix, prefix);

  const oldMiddle = before.slice(prefix, before.length - suffix);
  const newMiddle = after.slice(prefix, after.length - suffix);
  if (!oldMiddle.length && !newMiddle.length) return { before: [], after: [] };
  if (oldMiddle.length > longestMiddle || newMiddle.length > longestMiddle) return whole(oldMiddle, newMiddle, prefix);
  const oldWords = split(oldMiddle);
  const newWords = split(newMiddle);
  if (oldWords.length > mostWords || newWords.length > mostWords) return whole(oldMiddle, newMiddle, prefix);
  return compare(oldWords, newWords, prefix);
}

const word = /[\p{L}\p{N}_]/u;

/** A word is marked whole: `alpha` for `a` is not `a` and `lpha`. */
function backToWord(before: string, after: string, prefix: number): number {
  const inWord = (text: string) => prefix < text.length && word.test(text[prefix] ?? "");
  if (!inWord(before) && !inWord(after)) return prefix;
  let at = prefix;
  while (at > 0 && prefix - at < 80 && word.test(before[at - 1] ?? "")) at -= 1;
  return at;
}

function forwardToWord(before: string, after: string, suffix: number, prefix: number): number {
  const room = Math.min(before.length, after.length) - prefix;
  let kept = Math.min(suffix, room);
  const edge = (text: string) => word.test(text[text.length - kept - 1] ?? "");
  if (!edge(before) && !edge(after)) return kept;
  for (let steps = 0; kept > 0 && steps < 80 && word.test(before[before.length - kept] ?? ""); steps += 1) kept -= 1;
  return kept;
}

function whole(before: string, after: string, at: number): { before: Ranges; after: Ranges } {
  return {
    before: before.length ? [[at, at + before.length]] : [],
    after: after.length ? [[at, at + after.length]] : [],
  };
}

function split(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The longest common subsequence of words; what is not in it is changed. */
function compare(before: string[], after: string[], at: number): { before: Ranges; after: Ranges } {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = before[i] === after[j]
        ? lengths[(i + 1) * width + j + 1]! + 1
        : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const old = new RangeBuilder(at);
  const now = new RangeBuilder(at);
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      old.keep(before[i++]!);
      now.keep(after[j++]!);
    } else if (j >= after.length || (i < before.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      old.mark(before[i++]!);
    } else {
      now.mark(after[j++]!);
    }
  }
  return { before: old.ranges, after: now.ranges };
}

class RangeBuilder {
  readonly ranges: Ranges = [];

  constructor(private at: number) {}

  keep(part: string): void {
    this.at += part.length;
  }

  mark(part: string): void {
    const last = this.ranges.at(-1);
    if (last && last[1] === this.at) last[1] += part.length;
    else this.ranges.push([this.at, this.at + part.length]);
    this.at += part.length;
  }
}
