// The rows of the timeline: a heading for each day, runs of reads as one row, changes each alone.
import type { Action } from "../contract";
import { DayNames } from "../text";

export type TimelineRow =
  | { kind: "day"; label: string }
  | { kind: "reads"; key: string; actions: Action[]; isOpen: boolean }
  | { kind: "action"; action: Action; isNested: boolean };

/** As many reads are one row at most, as in `overt log`. */
const longestRun = 200;

export function actionKey(action: Action): string {
  return `${action.log}/${action.call}`;
}

export function timelineRows(actions: Action[], openRuns: Set<string>, now: number): TimelineRow[] {
  const rows: TimelineRow[] = [];
  const days = new DayNames(now);
  let day = "";
  for (let at = 0; at < actions.length; ) {
    const action = actions[at]!;
    const label = days.of(action.time);
    if (label !== day) rows.push({ kind: "day", label: (day = label) });
    const end = runEnd(actions, at, label, days);
    if (end - at < 2) {
      rows.push({ kind: "action", action, isNested: false });
    } else {
      const run = actions.slice(at, end);
      const key = actionKey(action);
      const isOpen = openRuns.has(key);
      rows.push({ kind: "reads", key, actions: run, isOpen });
      if (isOpen) for (const one of run) rows.push({ kind: "action", action: one, isNested: true });
    }
    at = Math.max(end, at + 1);
  }
  return rows;
}

function runEnd(actions: Action[], start: number, day: string, days: DayNames): number {
  const first = actions[start]!;
  if (!isPlainRead(first)) return start;
  let end = start + 1;
  while (end < actions.length && end - start < longestRun) {
    const next = actions[end]!;
    if (!isPlainRead(next) || !isAlike(first, next) || days.of(next.time) !== day) break;
    end += 1;
  }
  return end;
}

function isPlainRead(action: Action): boolean {
  return action.onlyReads && action.tone === "read";
}

function isAlike(one: Action, other: Action): boolean {
  return one.clientName === other.clientName && one.project === other.project && one.server === other.server;
}

/** Puts a newer first page before what is known. Returns null if there is a gap between them. */
export function mergeNewest(known: Action[], newest: Action[]): Action[] | null {
  if (!known.length) return newest;
  const keys = new Set(newest.map(actionKey));
  const isOverlapping = known.some((action) => keys.has(actionKey(action)));
  return isOverlapping ? [...newest, ...known.filter((action) => !keys.has(actionKey(action)))] : null;
}
