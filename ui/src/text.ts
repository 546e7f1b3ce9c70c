// How texts, times and numbers appear on the page. Every text of a server, a client or a model goes
// through `untrusted`: it becomes a text node, isolated from the direction of the text around it.
import { html, nothing, type TemplateResult } from "lit";
import { safeText } from "./safe-text";

export function untrusted(text: string | null | undefined, className = ""): TemplateResult {
  return html`<bdi class=${className || nothing}>${safeText(text ?? "")}</bdi>`;
}

/** Cuts the middle out of a text that is longer than `limit`. The full text belongs in a title. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = Math.floor((limit - 1) / 2);
  return `${text.slice(0, kept)}…${text.slice(text.length - kept)}`;
}

export function lastPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

const numbers = new Intl.NumberFormat("en");
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** `840 bytes`, `98.1 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return plural(bytes, "byte");
  return bytes < 1_000_000 ? `${significant(bytes / 1000)} kB` : `${significant(bytes / 1_000_000)} MB`;
}

const verdicts: Record<string, [string, string]> = {
  allow: ["allowed", "tone-change"], needs_approval: ["asks you", "tone-failed"], deny: ["refused", "tone-refused"],
};

export function verdictWords(verdict: string): string {
  return verdicts[verdict]?.[0] ?? verdict;
}

export function verdictPill(verdict: string): TemplateResult {
  return html`<span class="pill ${verdicts[verdict]?.[1] ?? ""}">${safeText(verdictWords(verdict))}</span>`;
}

/** A duration in microseconds with a unit that keeps it short: `840 µs`, `1.2 ms`, `3.4 s`. */
export function formatMicros(micros: number | null | undefined): string {
  if (micros === null || micros === undefined) return "–";
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1_000_000) return `${significant(micros / 1000)} ms`;
  if (micros < 60_000_000) return `${significant(micros / 1_000_000)} s`;
  return `${significant(micros / 60_000_000)} min`;
}

function significant(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, "");
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit",
});
const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });

export function formatClock(time: string): string {
  return format(clock, time);
}

export function formatMoment(time: string | null | undefined): string {
  return time ? format(dayAndClock, time) : "–";
}

function format(formatter: Intl.DateTimeFormat, time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? safeText(time) : formatter.format(date);
}

/** The headings of days: `Today`, `Yesterday`, or the date. Remembers the last day, because times in a row share it. */
export class DayNames {
  private start = 0;
  private end = 0;
  private name = "";

  constructor(private readonly now: number) {}

  of(time: string): string {
    const at = Date.parse(time);
    if (Number.isNaN(at)) return "Unknown day";
    if (at >= this.start && at < this.end) return this.name;
    this.start = startOfDay(at, 0);
    this.end = startOfDay(at, 1);
    const days = Math.round((startOfDay(this.now, 0) - this.start) / 86_400_000);
    this.name = days === 0 ? "Today" : days === 1 ? "Yesterday" : dayName.format(at);
    return this.name;
  }
}

function startOfDay(time: number, later: number): number {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime();
}

/** How long something lasts from now on: `38 s`, `12 min`, `3 h`. */
export function formatLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 100 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

/** Splits `src/app.ts +4 -3` into the path and its counts, so that these can have colours. */
export function splitCounts(change: string): { path: string; added: string; removed: string } {
  const found = /^(.*?)(?: (\+\d+))?(?: ([-−]\d+))?$/su.exec(change);
  return { path: found?.[1] ?? change, added: found?.[2] ?? "", removed: found?.[3] ?? "" };
}

export function changeTemplate(change: string): TemplateResult {
  const { path, added, removed } = splitCounts(change);
  return html`<span class="change">${untrusted(path, "path")}${added ? html` <span class="plus">${added}</span>` : nothing}${
    removed ? html` <span class="minus">${removed.replace("-", "−")}</span>` : nothing}</span>`;
}
