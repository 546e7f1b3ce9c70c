// Loads the pages of the timeline, newest first, and keeps them.
import { asApiError, type Api, type ApiError } from "../api";
import { filterNames, type Filters } from "../address";
import type { Action } from "../contract";
import { mergeNewest } from "./timeline";

/** The first page is small, so that it is there at once; those that are loaded while somebody scrolls are larger. */
const firstPage = 100;
const olderPage = 400;
/** More actions are not kept in the page; filters find what is older. */
export const mostActions = 50_000;

export class ActivityStore {
  /** The newest first. Older actions are added at the end; every other change is another array. */
  actions: Action[] = [];
  unread: string[] = [];
  failure: ApiError | null = null;
  isLoading = false;
  /** There are newer actions than the list has. */
  hasNews = false;
  private next: string | null = null;
  private isLoaded = false;
  private filters: Filters = {};
  private request = new AbortController();

  constructor(
    private readonly api: Api,
    private readonly changed: () => void,
  ) {}

  get isEmpty(): boolean {
    return this.isLoaded && !this.actions.length;
  }

  get isComplete(): boolean {
    return this.isLoaded && this.next === null;
  }

  get isFull(): boolean {
    return this.actions.length >= mostActions;
  }

  /** Starts over with these filters. */
  open(filters: Filters): void {
    this.request.abort();
    this.request = new AbortController();
    this.filters = filters;
    this.actions = [];
    this.unread = [];
    this.next = null;
    this.isLoaded = this.isLoading = this.hasNews = false;
    void this.load(null);
  }

  loadOlder(): void {
    if (this.next === null || this.isLoading || this.failure || this.isFull) return;
    void this.load(this.next);
  }

  retry(): void {
    this.failure = null;
    void this.load(this.isLoaded ? this.next : null);
  }

  /** Looks for newer actions and puts them on top. */
  async refresh(): Promise<void> {
    if (!this.isLoaded || this.isLoading) return;
    const { signal } = this.request;
    try {
      const page = await this.api.activity(this.query(null), signal);
      const merged = mergeNewest(this.actions, page.actions);
      this.actions = merged ?? page.actions;
      if (!merged) this.next = page.next;
      this.unread = page.unread;
      this.hasNews = false;
      this.failure = null;
    } catch (error) {
      if (!signal.aborted) this.failure = asApiError(error);
    }
    this.changed();
  }

  private async load(before: string | null): Promise<void> {
    const { signal } = this.request;
    this.isLoading = true;
    this.failure = null;
    this.changed();
    try {
      const page = await this.api.activity(this.query(before), signal);
      if (signal.aborted) return;
      if (before === null) this.actions = page.actions;
      else this.actions.push(...page.actions);
      this.next = page.next;
      this.unread = page.unread;
      this.isLoaded = true;
    } catch (error) {
      if (signal.aborted) return;
      this.failure = asApiError(error);
    }
    this.isLoading = false;
    this.changed();
  }

  private query(before: string | null): URLSearchParams {
    const query = new URLSearchParams();
    for (const name of filterNames) {
      const value = this.filters[name];
      if (value) query.set(name, value);
    }
    if (before !== null) query.set("before", before);
    query.set("limit", String(before === null ? firstPage : olderPage));
    return query;
  }
}
