// What is selected, marked and loaded in the inbox, and whether an answer may be given. Pure: the
// clock is a parameter.
import type { Choice, Question, QuestionDetails, QuestionRef } from "../contract";

/** After the selection moved by itself an answer waits so long, as in `overt watch`. */
export const guardTime = 700;

export interface Group {
  key: string;
  client: string | null;
  project: string | null;
  questions: Question[];
}

interface Loaded {
  details: QuestionDetails;
  /** The digest in the list when the details were asked for. */
  listDigest: string;
}

export class InboxModel {
  groups: Group[] = [];
  selected: string | null = null;
  readonly marked = new Set<string>();
  /** Questions that changed after they had been shown. */
  readonly replaced = new Set<string>();
  /** A choice that must be pressed twice and was pressed once. */
  armed: string | null = null;
  private ordered: Question[] = [];
  private readonly loaded = new Map<string, Loaded>();
  private readonly shown = new Map<string, string>();
  private readonly answered = new Set<string>();
  private guardedUntil = 0;

  get questions(): Question[] {
    return this.ordered;
  }

  /** Takes the list of an event. Returns the ids that were not there before. */
  update(list: Question[], now: number): string[] {
    const before = new Map(this.ordered.map((question) => [question.id, question]));
    const present = new Set(list.map((question) => question.id));
    for (const id of this.answered) if (!present.has(id)) this.answered.delete(id);
    const open = list.filter((question) => !this.answered.has(question.id));
    const position = this.positionAmong(open);
    this.groups = groupQuestions(open);
    this.ordered = this.groups.flatMap((group) => group.questions);
    this.forgetMissing();
    for (const question of open) {
      const known = this.loaded.get(question.id);
      if (known && known.listDigest !== question.digest) this.replace(question.id, now);
    }
    if (this.selected === null || !this.find(this.selected)) {
      const hadSelection = this.selected !== null;
      this.selectAt(Math.max(0, Math.min(position, this.ordered.length - 1)));
      if (hadSelection && this.selected !== null) this.guardedUntil = now + guardTime;
    }
    return open.map((question) => question.id).filter((id) => !before.has(id));
  }

  find(id: string | null): Question | undefined {
    return this.ordered.find((question) => question.id === id);
  }

  select(id: string): void {
    if (id === this.selected || !this.find(id)) return;
    this.selected = id;
    this.armed = null;
  }

  move(by: number): void {
    const position = this.ordered.findIndex((question) => question.id === this.selected);
    this.selectAt(Math.max(0, Math.min(this.ordered.length - 1, position + by)));
  }

  moveTo(end: "first" | "last"): void {
    this.selectAt(end === "first" ? 0 : this.ordered.length - 1);
  }

  toggleMark(id: string | null): void {
    if (!id || !this.find(id)) return;
    this.armed = null;
    if (!this.marked.delete(id)) this.marked.add(id);
  }

  /** Marks all questions of the client and project of the selected one, or unmarks them. */
  toggleGroup(): void {
    const group = this.groups.find((one) => one.questions.some((question) => question.id === this.selected));
    if (!group) return;
    this.armed = null;
    const all = group.questions.every((question) => this.marked.has(question.id));
    for (const question of group.questions) {
      if (all) this.marked.delete(question.id);
      else this.marked.add(question.id);
    }
  }

  clearMarks(): void {
    this.marked.clear();
    this.armed = null;
  }

  /** The questions that an answer would be for: the marked ones, or the selected one. */
  targets(): Question[] {
    if (this.marked.size) return this.ordered.filter((question) => this.marked.has(question.id));
    const selected = this.find(this.selected);
    return selected ? [selected] : [];
  }

  /** What all targets offer. Details count, as soon as they are there. */
  choices(): Choice[] {
    const offers = this.targets().map((question) => this.details(question.id)?.choices ?? question.choices);
    const first = offers[0] ?? [];
    return first.filter((choice) => offers.every((offer) => offer.some((one) => one.choice === choice.choice)));
  }

  details(id: string): QuestionDetails | undefined {
    return this.loaded.get(id)?.details;
  }

  /** Targets whose details are not loaded. */
  missing(): Question[] {
    return this.targets().filter((question) => !this.loaded.has(question.id));
  }

  load(details: QuestionDetails, listDigest: string): void {
    const question = this.find(details.id);
    if (!question || question.digest !== listDigest) return;
    this.loaded.set(details.id, { details, listDigest });
  }

  /** Called after details were drawn. Only what was drawn can be answered. */
  markShown(id: string): void {
    const details = this.details(id);
    if (details) this.shown.set(id, details.digest);
  }

  /** The details are not what was answered: load and show them again. */
  replace(id: string, now: number): void {
    if (this.shown.has(id)) this.replaced.add(id);
    this.loaded.delete(id);
    this.shown.delete(id);
    this.armed = null;
    this.guardedUntil = now + guardTime;
  }

  guardLeft(now: number): number {
    return Math.max(0, this.guardedUntil - now);
  }

  /** Why an answer can't be given now, or what to send. */
  answer(now: number): { refused: string } | { questions: QuestionRef[] } {
    const targets = this.targets();
    if (!targets.length) return { refused: "No question is selected." };
    if (this.guardLeft(now) > 0) return { refused: "The question changed just now. Read it, then press the key again." };
    const questions: QuestionRef[] = [];
    for (const { id } of targets) {
      const digest = this.shown.get(id);
      if (digest === undefined || digest !== this.details(id)?.digest) return { refused: "The details are still loading." };
      questions.push({ id, digest });
    }
    return { questions };
  }

  /** Takes answered questions out of the list, before the event says the same. */
  close(ids: string[]): void {
    for (const id of ids) this.answered.add(id);
    const open = this.ordered.filter((question) => !this.answered.has(question.id));
    const position = this.positionAmong(open);
    this.groups = groupQuestions(open);
    this.ordered = this.groups.flatMap((group) => group.questions);
    this.forgetMissing();
    this.armed = null;
    if (!this.find(this.selected)) this.selectAt(Math.max(0, Math.min(position, this.ordered.length - 1)));
  }

  /** How many of the questions that stay are before the selected one. */
  private positionAmong(open: Question[]): number {
    const staying = new Set(open.map((question) => question.id));
    const selected = this.ordered.findIndex((question) => question.id === this.selected);
    return this.ordered.slice(0, Math.max(0, selected)).filter((question) => staying.has(question.id)).length;
  }

  private selectAt(position: number): void {
    const id = this.ordered[position]?.id ?? null;
    if (id !== this.selected) this.armed = null;
    this.selected = id;
  }

  private forgetMissing(): void {
    const present = new Set(this.ordered.map((question) => question.id));
    for (const known of [this.marked, this.replaced, this.loaded, this.shown]) {
      for (const id of [...known.keys()]) if (!present.has(id)) known.delete(id);
    }
  }
}

function groupQuestions(questions: Question[]): Group[] {
  const groups = new Map<string, Group>();
  for (const question of questions) {
    const key = JSON.stringify([question.client, question.project]);
    const group = groups.get(key) ?? { key, client: question.client, project: question.project, questions: [] };
    group.questions.push(question);
    groups.set(key, group);
  }
  return [...groups.values()];
}
