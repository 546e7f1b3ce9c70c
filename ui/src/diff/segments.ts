// Cuts a line into the parts that are shown: plain, marked, and what is left out of a long line.
import { longestShown } from "./parse";
import type { Ranges } from "./words";

export type Segment =
  | { kind: "plain"; text: string }
  | { kind: "marked"; text: string }
  | { kind: "cut"; hidden: number; side: "before" | "after" };

/** How much of a long line is shown, as start and end. */
export interface Window {
  start: number;
  end: number;
}

/** Text before the first change that stays visible in a long line. */
const lead = 120;
/** By how much a fold opens. */
const step = 4000;

/** The part of a long line around its first change. */
export function firstWindow(length: number, marked: Ranges): Window {
  if (length <= longestShown) return { start: 0, end: length };
  const change = marked[0]?.[0] ?? 0;
  const start = Math.max(0, Math.min(change - lead, length - longestShown));
  return { start, end: start + longestShown };
}

export function openWindow(window: Window, side: "before" | "after", length: number): Window {
  return side === "before"
    ? { start: Math.max(0, window.start - step), end: window.end }
    : { start: window.start, end: Math.min(length, window.end + step) };
}

export function segmentsOf(text: string, marked: Ranges, window: Window): Segment[] {
  const segments: Segment[] = [];
  const plain = (from: number, to: number) => {
    if (to > from) segments.push({ kind: "plain", text: text.slice(from, to) });
  };
  if (window.start > 0) segments.push({ kind: "cut", hidden: window.start, side: "before" });
  let at = window.start;
  for (const [from, to] of marked) {
    if (to <= at) continue;
    if (from >= window.end) break;
    plain(at, Math.max(at, from));
    const end = Math.min(to, window.end);
    segments.push({ kind: "marked", text: text.slice(Math.max(at, from), end) });
    at = end;
  }
  plain(at, window.end);
  if (window.end < text.length) segments.push({ kind: "cut", hidden: text.length - window.end, side: "after" });
  return segments;
}
