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

/** The rows of a list of actions. A list that only grew at its end is continued instead of being read again. */
export class Timeline {
  readonly rows: TimelineRow[] = [];
  private readonly days: DayNames;
  private day = "";
  private taken = 0;
  /** Where the last group begins, in the actions and in the rows. It may still grow. */
  private open = { action: 0, row: 0 };

  constructor(
    readonly actions: readonly Action[],
    private readonly openRuns: ReadonlySet<string>,
    now: number,
  ) {
    this.days = new DayNames(now);
    this.extend();
  }

  /** Adds rows for the actions that came to the end of the list, and says whether there were any. */
  extend(): boolean {
    const { actions, rows, open } = this;
    if (this.taken === actions.length) return false;
    this.taken = actions.length;
    rows.length = open.row;
    for (let at = open.action; at < actions.length; ) {
      const label = this.days.of(actions[at]!.time);
      if (label !== this.day) rows.push({ kind: "day", label: (this.day = label) });
      this.open = { action: at, row: rows.length };
      at = this.addGroup(at, label);
    }
    return true;
  }

  /** Adds a run of reads or one action, and says where the next group begins. */
  private addGroup(at: number, day: string): number {
    const action = this.actions[at]!;
    const end = this.runEnd(at, day);
    if (end - at < 2) {
      this.rows.push({ kind: "action", action, isNested: false });
      return at + 1;
    }
    const run = this.actions.slice(at, end);
    const key = actionKey(action);
    const isOpen = this.openRuns.has(key);
    this.rows.push({ kind: "reads", key, actions: run, isOpen });
    if (isOpen) for (const one of run) this.rows.push({ kind: "action", action: one, isNested: true });
    return end;
  }

  private runEnd(start: number, day: string): number {
    const first = this.actions[start]!;
    if (!isPlainRead(first)) return start;
    let end = start + 1;
    while (end < this.actions.length && end - start < longestRun) {
      const next = this.actions[end]!;
      if (!isPlainRead(next) || !isAlike(first, next) || this.days.of(next.time) !== day) break;
      end += 1;
    }
    return end;
  }
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
