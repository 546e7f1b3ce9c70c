// The timeline of what agents did, its filters, and the details of one action.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { createRef, ref } from "lit/directives/ref.js";
import { navigate, writeAddress, type Address, type FilterName } from "../address";
import { asApiError, type ApiError } from "../api";
import type { ActionDetails } from "../contract";
import { PageElement } from "../element";
import "../rows";
import type { Rows } from "../rows";
import { safeText } from "../safe-text";
import { SessionController, type Session } from "../session";
import { formatNumber } from "../text";
import type { Command, PageView } from "../shell/commands";
import { actionDetails } from "./details";
import { filterForm } from "./filters";
import { timelineRow } from "./row";
import { ActivityStore, mostActions } from "./store";
import { Timeline, type TimelineRow } from "./timeline";
import "./undo";
import type { UndoDialog } from "./undo";
import "./verify";
import type { VerifyDialog } from "./verify";

const narrow = matchMedia("(max-width: 640px)");

export class Activity extends PageElement implements PageView {
  static override properties = { session: { attribute: false }, address: { attribute: false } };

  declare session: Session;
  declare address: Address;
  private store: ActivityStore | null = null;
  private built = new Timeline([], new Set(), 0);
  private readonly openRuns = new Set<string>();
  /** Counts how often the rows changed. */
  private revision = 0;
  private active = -1;
  private details: ActionDetails | null = null;
  private failure: ApiError | null = null;
  private wanted: string | null = null;
  private loaded = "";
  private areFiltersOpen = false;
  private readonly list = createRef<Rows>();
  private readonly undoDialog = createRef<UndoDialog>();
  private readonly verifyDialog = createRef<VerifyDialog>();

  constructor() {
    super();
    new SessionController(this, () => this.session);
  }

  override connectedCallback(): void {
    this.store ??= new ActivityStore(this.session.api, () => this.loadedMore());
    super.connectedCallback();
    this.session.addEventListener("activity", this.recorded);
    narrow.addEventListener("change", this.resized);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session.removeEventListener("activity", this.recorded);
    narrow.removeEventListener("change", this.resized);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("address")) return;
    const query = writeAddress({ ...this.address, item: null });
    if (query !== this.loaded) {
      this.loaded = query;
      this.active = -1;
      this.openRuns.clear();
      this.store?.open(this.address.filters);
    }
    if (this.address.item !== this.wanted) void this.loadDetails(this.address.item);
  }

  protected override render(): TemplateResult {
    const { store, address } = this;
    if (!store) return html``;
    return html`<div class="panes activity ${address.item ? "with-details" : ""}">
      <section class="pane list-pane" aria-label="Timeline">
        <div class="pane-bar"><h1>Activity</h1>
          ${store.hasNews ? html`<button type="button" class="small accent" @click=${() => this.showNews()}>Show new actions</button>` : nothing}
          <button type="button" class="small push" @click=${() => this.verifyDialog.value?.open()}>Verify the logs</button></div>
        ${filterForm({
          filters: address.filters,
          isOpen: this.areFiltersOpen,
          set: (name, value) => this.setFilter(name, value),
          clear: () => navigate({ ...address, filters: {} }),
          toggle: () => {
            this.areFiltersOpen = !this.areFiltersOpen;
            this.requestUpdate();
          },
        })}
        ${store.unread.map((line) => html`<p class="note warning">${safeText(line)}</p>`)}
        ${this.timeline(store)}
      </section>
      ${address.item ? this.detailsPane() : nothing}
    </div>
    <overt-undo ${ref(this.undoDialog)} .session=${this.session} .done=${() => this.undone()}></overt-undo>
    <overt-verify ${ref(this.verifyDialog)} .session=${this.session}></overt-verify>`;
  }

  private timeline(store: ActivityStore): TemplateResult {
    if (store.isEmpty) return this.empty();
    const { active, address, rows } = this;
    return html`<overt-rows ${ref(this.list)} class="timeline" role="listbox" tabindex="0" aria-label="Actions, newest first"
        aria-activedescendant=${active >= 0 ? `row-${active}` : nothing} data-keys="timeline"
        .count=${rows.length} .height=${narrow.matches ? 3.25 : 2.125} .revision=${`${this.revision} ${active} ${address.item}`} .nearEnd=${this.loadOlder}
        .row=${this.row}></overt-rows>
      <div class="list-foot" role="status">${this.foot(store)}</div>`;
  }

  private readonly row = (index: number): TemplateResult => {
    const { rows, active, address } = this;
    const row = rows[index]!;
    const isOpen = row.kind === "action" && row.action.call === address.item;
    return timelineRow(row, index, rows.length, index === active, isOpen, this.rowEvents);
  };

  private readonly rowEvents = { open: (index: number) => this.open(index) };

  private readonly loadOlder = (): void => this.store?.loadOlder();

  private get rows(): TimelineRow[] {
    return this.built.rows;
  }

  private foot(store: ActivityStore): TemplateResult | string {
    if (store.failure) {
      return html`<span class="problem">${safeText(store.failure.message)}</span> <button type="button" class="small" @click=${() => store.retry()}>Try again</button>`;
    }
    if (store.isLoading) return "Loading…";
    if (store.isFull) return `The page keeps ${mostActions} actions. Filters find older ones.`;
    return store.isComplete ? "This is everything." : `The newest ${formatNumber(store.actions.length)}. Older ones come as you scroll.`;
  }

  private empty(): TemplateResult {
    const isFiltered = Object.keys(this.address.filters).length > 0;
    return html`<div class="empty"><h2>${isFiltered ? "No action matches these filters" : "Nothing was recorded yet"}</h2>
      ${isFiltered
        ? html`<p><button type="button" @click=${() => navigate({ ...this.address, filters: {} })}>Clear the filters</button></p>`
        : html`<p>Every call through <code>overt run</code> and <code>overt fs</code> is recorded. <code>overt wrap</code> puts Overt in front of the servers of your clients.</p>`}</div>`;
  }

  private detailsPane(): TemplateResult {
    return html`<section class="pane details-pane" aria-label="Details of the action">
      <div class="pane-bar"><button type="button" class="small push" @click=${() => this.closeDetails()}>Close</button></div>
      <div class="scroll" tabindex="0" role="region" aria-label="Details">
        ${this.failure ? html`<p class="note warning" role="alert">${safeText(this.failure.message)}</p>`
          : !this.details ? html`<p class="quiet loading" role="status">Loading the details…</p>`
          : actionDetails(this.details, {
              close: () => this.closeDetails(),
              undo: (change) => this.undoDialog.value?.open(change),
              filter: (name, value) => this.setFilter(name, value),
              readOnly: this.session.readOnly,
            })}
      </div></section>`;
  }

  key(event: KeyboardEvent): boolean {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const inList = target === document.body || target.closest("[data-keys=timeline]") !== null;
    const page = this.list.value?.rowsPerPage ?? 10;
    const steps: Record<string, number> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, End: this.rows.length };
    const step = steps[event.key];
    if (step !== undefined && (inList || event.key.length === 1)) return this.move(step);
    if (event.key === "Enter" && inList && this.active >= 0) return this.open(this.active);
    if (event.key === "Escape" && this.address.item) return this.closeDetails();
    if (event.key === "/") {
      this.areFiltersOpen = true;
      this.requestUpdate();
      void this.updateComplete.then(() => this.querySelector<HTMLElement>(".filters input")?.focus());
      return true;
    }
    return false;
  }

  commands(): Command[] {
    return [
      { label: "Verify the logs", run: () => this.verifyDialog.value?.open() },
      { label: "Show only what was refused", run: () => this.setFilter("outcome", "refused") },
      { label: "Clear the filters", run: () => navigate({ ...this.address, filters: {} }) },
    ];
  }

  private move(step: number): boolean {
    const last = this.rows.length - 1;
    const direction = step < 0 ? -1 : 1;
    let next = Math.max(0, Math.min(last, this.active + step));
    if (this.rows[next]?.kind === "day") next += next === 0 ? 1 : direction;
    if (next > last) return true;
    this.active = next;
    this.list.value?.reveal(next);
    if (this.address.item) this.open(next, true);
    this.requestUpdate();
    return true;
  }

  private open(index: number, isMoving = false): boolean {
    const row = this.rows[index];
    if (!row || row.kind === "day") return false;
    this.active = index;
    if (row.kind === "action") {
      navigate({ ...this.address, item: row.action.call }, this.address.item ? "replace" : "push");
    } else if (!isMoving) {
      if (!this.openRuns.delete(row.key)) this.openRuns.add(row.key);
      this.rebuild();
    }
    this.requestUpdate();
    return true;
  }

  private closeDetails(): boolean {
    navigate({ ...this.address, item: null });
    this.list.value?.focus();
    return true;
  }

  private setFilter(name: FilterName, value: string): void {
    const filters = { ...this.address.filters };
    if (value) filters[name] = value;
    else delete filters[name];
    navigate({ ...this.address, filters });
  }

  private async loadDetails(id: string | null): Promise<void> {
    this.wanted = id;
    this.details = this.failure = null;
    if (!id) return;
    try {
      const details = await this.session.api.action(id);
      if (this.wanted === id) this.details = details;
    } catch (error) {
      if (this.wanted === id) this.failure = asApiError(error);
    }
    this.requestUpdate();
  }

  /** Shows what the store has. What was only added at the end leaves the rows before it alone. */
  private loadedMore(): void {
    if (this.store?.actions !== this.built.actions) return this.rebuild();
    this.keepActive(() => this.built.extend());
  }

  private rebuild(): void {
    this.keepActive(() => {
      this.built = new Timeline(this.store?.actions ?? [], this.openRuns, this.session.now());
      return true;
    });
  }

  /** Keeps the active row on its action when rows come or go. `change` says whether they did. */
  private keepActive(change: () => boolean): void {
    const before = this.rows[this.active];
    if (change()) this.revision += 1;
    const isThere = (row: TimelineRow | undefined): boolean => row !== undefined && before !== undefined && isSameRow(row, before);
    if (before && before.kind !== "day" && !isThere(this.rows[this.active])) this.active = this.rows.findIndex(isThere);
    this.requestUpdate();
  }

  private readonly recorded = (): void => {
    if (!this.store) return;
    if ((this.list.value?.scrollTop ?? 0) < 50) void this.store.refresh();
    else this.store.hasNews = true;
    this.requestUpdate();
  };

  private readonly resized = (): void => this.requestUpdate();

  private showNews(): void {
    if (this.list.value) this.list.value.scrollTop = 0;
    void this.store?.refresh();
  }

  private undone(): void {
    void this.store?.refresh();
    void this.loadDetails(this.address.item);
  }
}

function isSameRow(row: TimelineRow, other: TimelineRow): boolean {
  if (row.kind === "reads" && other.kind === "reads") return row.key === other.key;
  return row.kind === "action" && other.kind === "action" && row.action.call === other.action.call && row.action.log === other.action.log;
}

customElements.define("overt-activity", Activity);
