// The inbox: the questions that wait, everything about the selected one, and the answers.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { asApiError } from "../api";
import { PageElement } from "../element";
import type { Command, PageView } from "../shell/commands";
import { Notifier } from "../shell/notify";
import { SessionController, type Session } from "../session";
import { safeText } from "../safe-text";
import { plural } from "../text";
import { choiceBar, twice } from "./choices";
import { questionDetails } from "./details";
import { inboxKey } from "./keys";
import { optionId, questionList } from "./list";
import { DetailsLoader } from "./loader";
import { InboxModel } from "./model";

export class Inbox extends PageElement implements PageView {
  static override properties = { session: { attribute: false }, isActive: { attribute: false } };

  declare session: Session;
  /** False while another view is shown. */
  declare isActive: boolean;
  readonly model = new InboxModel();
  private loader: DetailsLoader | null = null;
  private readonly notifier = new Notifier();
  private clock: ReturnType<typeof setInterval> | undefined;
  private guard: ReturnType<typeof setTimeout> | undefined;
  private seen: unknown = null;
  private drawn: string | null = null;
  private isSending = false;
  private isWide = false;
  private canTakeBack = false;

  constructor() {
    super();
    this.isActive = true;
    new SessionController(this, () => this.session);
  }

  override connectedCallback(): void {
    this.loader ??= new DetailsLoader(this.session.api, this.model, () => this.requestUpdate());
    super.connectedCallback();
    this.clock = setInterval(() => this.requestUpdate(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.clock);
    clearTimeout(this.guard);
  }

  /** Takes the newest list of questions, also while another view is shown. */
  protected override willUpdate(): void {
    const questions = this.session.questions;
    if (!questions || questions === this.seen) return;
    const isFirst = this.seen === null;
    this.seen = questions;
    const arrived = this.model.update(questions, Date.now());
    if (!isFirst) this.notifier.announce(this.model.questions.filter((question) => arrived.includes(question.id)));
    for (const id of [...(this.loader?.failures.keys() ?? [])]) if (!this.model.find(id)) this.loader?.failures.delete(id);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (!this.isActive) return;
    if (this.model.selected !== this.drawn) {
      this.drawn = this.model.selected;
      this.querySelector(".details-pane .scroll")?.scrollTo(0, 0);
    }
    for (const card of this.querySelectorAll<HTMLElement>("[data-digest]")) this.model.markShown(card.dataset.question ?? "");
    this.loader?.run();
    clearTimeout(this.guard);
    const left = this.model.guardLeft(Date.now());
    if (left > 0) this.guard = setTimeout(() => this.requestUpdate(), left);
  }

  protected override render(): TemplateResult {
    const { model, session } = this;
    if (session.questions === null) return html`<div class="empty"><p class="quiet">Connecting to Overt…</p></div>`;
    if (!model.questions.length) return this.empty();
    const targets = model.targets();
    return html`<div class="panes inbox">
      <section class="pane list-pane" aria-label="Waiting questions">
        <div class="pane-bar"><h1>${plural(model.questions.length, "question")}</h1>
          ${model.marked.size ? html`<button type="button" class="small" @click=${() => this.clearMarks()}>Unmark ${model.marked.size}</button>` : nothing}
          ${this.notifyButton()}</div>
        ${questionList(model, session.now(), {
          select: (id) => this.select(id),
          mark: (id) => this.mark(id),
        })}
      </section>
      <section class="pane details-pane" aria-label="Selected question">
        <div class="scroll" tabindex="0" role="region" aria-label="Details" data-keys="details">
          ${repeat(targets, (question) => question.id, (question) =>
            questionDetails(question, model.details(question.id), model.replaced.has(question.id), session))}
          ${this.failures()}
        </div>
        ${choiceBar({
          choices: model.choices(),
          count: targets.length,
          armed: model.armed,
          off: this.whyOff(),
          isOpen: this.isWide,
          canTakeBack: this.canTakeBack,
          choose: (choice) => void this.choose(choice),
          takeBack: () => void this.takeBack(),
          toggle: () => {
            this.isWide = !this.isWide;
            this.requestUpdate();
          },
        })}
      </section>
    </div>`;
  }

  private empty(): TemplateResult {
    return html`<div class="empty"><div class="empty-mark" aria-hidden="true"></div><h1>Nothing waits for you</h1>
      <p>When an agent wants to do something that needs your approval, it appears here. While this page is open, calls wait for your answer.</p>
      <p class="quiet">No server is wrapped yet? <code>overt wrap</code> finds the clients on this machine and puts Overt in front of their servers.</p>
      <p class="actions">${this.notifyButton()}
        ${this.canTakeBack ? html`<button type="button" @click=${() => void this.takeBack()}><kbd>u</kbd> Take the last answer back</button>` : nothing}</p></div>`;
  }

  private notifyButton(): TemplateResult | typeof nothing {
    if (this.notifier.state !== "default") return nothing;
    return html`<button type="button" class="small push" @click=${() => void this.askToNotify()}>Notify me</button>`;
  }

  private failures(): (TemplateResult | typeof nothing)[] {
    return this.model.targets().map(({ id }) => {
      const failure = this.loader?.failures.get(id);
      return failure === undefined ? nothing : html`<p class="note warning" role="alert">The details of ${id} can't be loaded: ${safeText(failure)}
        <button type="button" class="small" @click=${() => this.loader?.retry()}>Try again</button></p>`;
    });
  }

  /** Why no answer can be given, for as long as that is so. */
  private whyOff(): string | null {
    const { session, model } = this;
    if (session.readOnly) return `This page is read-only: ${session.readOnly}`;
    if (!session.isOnline) return "Overt can't be reached, so this list may be old.";
    if (this.isSending) return "Sending the answer…";
    if (model.guardLeft(Date.now()) > 0) return "The question changed just now.";
    if (model.missing().length) return "The details are loading.";
    return model.choices().length ? null : "These questions have no answer in common. Unmark some of them.";
  }

  key(event: KeyboardEvent): boolean {
    return inboxKey(event, this);
  }

  commands(): Command[] {
    const answers = this.model.choices().map((choice) => ({
      label: `Answer: ${choice.words}`, key: choice.letter, run: () => void this.choose(choice.choice),
    }));
    return [
      ...answers,
      { label: "Take the last answer back", key: "u", run: () => void this.takeBack() },
      { label: "Mark all questions of this client and project", key: "*", run: () => this.change(() => this.model.toggleGroup()) },
      { label: "Notify me about questions", run: () => void this.askToNotify() },
    ];
  }

  select(id: string): void {
    this.change(() => this.model.select(id));
  }

  move(by: number): void {
    this.change(() => this.model.move(by));
    this.revealSelected();
  }

  moveTo(end: "first" | "last"): void {
    this.change(() => this.model.moveTo(end));
    this.revealSelected();
  }

  mark(id: string | null): void {
    this.change(() => this.model.toggleMark(id));
  }

  clearMarks(): void {
    this.change(() => this.model.clearMarks());
  }

  change(action: () => void): void {
    action();
    this.requestUpdate();
  }

  /** Moves the focus between the list and the details. */
  focusOn(place: "list" | "details"): void {
    this.querySelector<HTMLElement>(`[data-keys="${place}"]`)?.focus();
  }

  async choose(choice: string): Promise<void> {
    const { model, session } = this;
    const off = this.whyOff();
    if (off) return session.announce(off, "problem");
    if (!model.choices().some((one) => one.choice === choice)) return session.announce("Not all marked questions offer this answer.", "problem");
    const answer = model.answer(Date.now());
    if ("refused" in answer) return session.announce(answer.refused, "problem");
    if (twice.has(choice) && model.armed !== choice) {
      this.change(() => (model.armed = choice));
      return session.announce("This holds in every project. Press it again to confirm.", "problem");
    }
    await this.send(choice, answer.questions);
  }

  private async send(choice: string, questions: { id: string; digest: string }[]): Promise<void> {
    const { model, session } = this;
    this.change(() => (this.isSending = true));
    try {
      const { answered, words } = await session.api.answer(choice, questions);
      model.close(answered);
      this.canTakeBack = true;
      session.announce(words);
    } catch (error) {
      const failure = asApiError(error);
      if (failure.status === 409 || failure.status === 404) for (const { id } of questions) model.replace(id, Date.now());
      session.announceError(failure);
    }
    this.change(() => (this.isSending = false));
  }

  async takeBack(): Promise<void> {
    try {
      const { words } = await this.session.api.takeBack();
      this.canTakeBack = false;
      this.session.announce(words);
    } catch (error) {
      this.session.announceError(error);
    }
    this.requestUpdate();
  }

  private async askToNotify(): Promise<void> {
    const state = await this.notifier.ask();
    this.session.announce(
      state === "granted" ? "You are notified when a question comes and this page is not in front." : "The browser does not allow notifications for this page.",
      state === "granted" ? "done" : "problem",
    );
    this.requestUpdate();
  }

  private revealSelected(): void {
    void this.updateComplete.then(() => {
      if (this.model.selected) document.getElementById(optionId(this.model.selected))?.scrollIntoView({ block: "nearest" });
    });
  }
}

customElements.define("overt-inbox", Inbox);
