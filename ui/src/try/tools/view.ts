// One tool: what it says, the call that is being written, and how the last call went.
import type { PropertyValues, TemplateResult } from "lit";
import { asApiError, html, keyed, nothing, PageElement, untrusted } from "../../shell/shared";
import { appSlot } from "../app-slot";
import { artifact } from "../artifacts";
import type { Problem } from "../contract";
import { Debounce } from "../debounce";
import { outcome, outcomePill } from "../outcome";
import { isPreview, type RequestRecord } from "../record";
import type { EditorState } from "../schema/editor-state";
import "../schema/editor";
import { fromPlain, isObject, writeJson, type JsonObject } from "../schema/json";
import type { TryStore } from "../store";
import { appAddress, examplesOf, hasPreview, intentTemplate } from "../tool-facts";
import { aboutTool } from "./about";
import type { CallDraft } from "./draft";
import { applyBar, changesOf, wholeDiffAddress } from "./preview";

export class ToolView extends PageElement {
  static override properties = { store: { attribute: false }, draft: { attribute: false }, revision: { attribute: false } };

  declare store: TryStore;
  declare draft: CallDraft;
  declare revision: unknown;
  readLink: (uri: string) => void = () => undefined;

  private sentence = "";
  private problems: Problem[] = [];
  private outputProblems: Problem[] | null = null;
  private wholeDiff: { id: string; text: string } | null = null;
  private readonly checking = new Debounce(250);

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.checking.stop();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("draft")) return;
    this.sentence = "";
    this.problems = [];
    this.outputProblems = null;
    this.checking.run(() => this.check());
  }

  protected override render(): TemplateResult {
    const { draft, store } = this;
    const { record } = draft;
    const isRunning = record !== null && !record.answer && !record.isCancelled;
    const examples = examplesOf(draft.tool);
    const canPreview = hasPreview(draft.tool);
    return html`<article class="details-card" @keydown=${this.pressed}>${aboutTool(draft.tool)}
      <section class="call" aria-label="Call"><h3>Arguments</h3>
        ${examples.length ? html`<p class="actions examples"><span class="quiet">Fill in:</span>${examples.map(({ label, input }) =>
          html`<button type="button" class="small" @click=${() => this.fill(writeJson(input, "  "))}>${untrusted(label)}</button>`)}</p>` : nothing}
        ${keyed(draft, html`<overt-editor .state=${draft.arguments} .label=${"Arguments"} .problems=${this.problems} .revision=${{}} @edit=${this.edited}></overt-editor>`)}
        <details class="more" ?open=${draft.policy.text !== "" || draft.meta.text !== ""}><summary>Policy and _meta of the call</summary>${this.options(draft)}</details>
        <p class="intent" aria-live="polite">${this.sentence ? html`<span class="quiet">This call: </span>${untrusted(this.sentence, "strong")}` : nothing}</p>
        <p class="actions">
          ${canPreview ? html`<button type="button" class="primary" data-preview ?disabled=${!draft.isReady || isRunning || !store.isConnected} @click=${this.preview}>Preview <kbd>Ctrl Enter</kbd></button>` : nothing}
          <button type="button" class=${canPreview ? "" : "primary"} data-call ?disabled=${!draft.isReady || isRunning || !store.isConnected} @click=${this.call}>Call${canPreview ? " without a preview" : html` <kbd>Ctrl Enter</kbd>`}</button>
          ${draft.problem ? html`<span class="problem" role="status">${untrusted(draft.problem)}</span>` : nothing}
          ${store.isConnected ? nothing : html`<span class="quiet">The server is not connected.</span>`}</p>
      </section>
      ${record ? this.outcome(record) : nothing}</article>`;
  }

  private options(draft: CallDraft): TemplateResult {
    const editor = (state: EditorState, label: string) => html`<overt-editor .state=${state} .label=${label} @edit=${() => this.requestUpdate()}></overt-editor>`;
    return html`${keyed(draft, html`<h4>Policy</h4><p class="quiet">It can only restrict this call. It is sent in <code>_meta.policy</code>.</p>${editor(draft.policy, "Policy")}
      <h4>Further members of _meta</h4>${editor(draft.meta, "_meta")}`)}`;
  }

  private outcome(record: RequestRecord): TemplateResult {
    const { draft } = this;
    const isShownPreview = draft.preview?.record === record;
    const app = appAddress(draft.tool);
    const uri = app || artifact(record, "review");
    return html`<section class="outcome" aria-label="Result" data-request=${record.id}><h3>${isPreview(record) ? "Preview" : "Result"} ${outcomePill(record)}</h3>
      ${changesOf(record, this.wholeDiff?.id === record.id ? this.wholeDiff.text : null)}
      ${isShownPreview && draft.preview ? applyBar(draft.preview, draft.currentPreview !== null && this.store.isConnected, this.apply) : nothing}
      ${uri && record.answer?.kind === "result" ? appSlot(uri, draft.tool, record, this.store, app ? "App" : "Review") : nothing}
      ${outcome(record, { read: this.readLink, cancel: (one) => void this.store.cancel(one), grant: this.grant }, this.outputProblems)}</section>`;
  }

  private readonly edited = (): void => {
    this.requestUpdate();
    this.checking.run(() => this.check());
  };

  private fill(text: string): void {
    this.draft.arguments.setText(text);
    this.problems = [];
    this.edited();
  }

  /** Validates the arguments and asks for the sentence, unless they can't be read. */
  private async check(): Promise<void> {
    const { draft } = this;
    const { value, text, isReady } = draft.arguments;
    const isCurrent = () => this.draft === draft && draft.arguments.text === text;
    if (!isReady || value === undefined) {
      this.problems = [];
      return this.requestUpdate();
    }
    try {
      const schema = draft.tool.get("inputSchema");
      const problems = isObject(schema) ? await this.store.validate(schema, value) : [];
      const sentence = intentTemplate(draft.tool) ? await this.store.intent(draft.name, value) : "";
      if (!isCurrent()) return;
      this.problems = problems;
      this.sentence = sentence;
    } catch (error) {
      if (isCurrent()) this.problems = [{ path: "", message: `The arguments were not checked: ${asApiError(error).message}` }];
    }
    this.requestUpdate();
  }

  private readonly call = (): void => void this.send(new Map());

  private readonly preview = async (): Promise<void> => {
    const { draft } = this;
    const madeFor = draft.bound;
    const record = await this.send(fromPlain({ preview: true }) as JsonObject);
    if (record) draft.previewed(record, madeFor);
    this.requestUpdate();
  };

  private readonly apply = (): void => {
    const preview = this.draft.currentPreview;
    if (!preview?.plan) return;
    void this.send(new Map([["dev.overt/plan", preview.plan]]));
    this.draft.preview = null;
  };

  /** The person who presses this agrees to the scopes, for this call alone. */
  private readonly grant = (record: RequestRecord, scopes: string[]): void => {
    const meta = record.params.get("_meta");
    const own = isObject(meta) ? [...meta].filter(([name]) => name !== "progressToken") : [];
    void this.follow(this.store.call(this.draft.name, record.params.get("arguments"), new Map(own).set("granted_scopes", scopes)));
  };

  private async send(meta: JsonObject): Promise<RequestRecord | null> {
    const { draft, store } = this;
    if (!draft.isReady || !store.isConnected) return null;
    return this.follow(store.call(draft.name, draft.arguments.value, draft.metaWith(meta)));
  }

  /** Shows a call while it runs, and checks its result. */
  private async follow(call: Promise<RequestRecord>): Promise<RequestRecord> {
    const { draft, store } = this;
    draft.record = store.records[0] ?? null;
    this.outputProblems = null;
    this.wholeDiff = null;
    this.requestUpdate();
    const record = await call;
    const uri = wholeDiffAddress(record);
    if (uri) void this.readWholeDiff(record, uri);
    const schema = draft.tool.get("outputSchema");
    const structured = record.answer?.kind === "result" ? record.answer.result.get("structuredContent") : undefined;
    if (isObject(schema) && structured !== undefined) {
      const problems = await store.validate(schema, structured).catch(() => null);
      if (draft.record === record) this.outputProblems = problems;
    }
    this.requestUpdate();
    return record;
  }

  private async readWholeDiff(record: RequestRecord, uri: string): Promise<void> {
    const answer = await this.store.ask("resources/read", new Map([["uri", uri]]));
    const contents = answer.kind === "result" ? answer.result.get("contents") : undefined;
    const first = Array.isArray(contents) ? contents[0] : undefined;
    const found = isObject(first) ? first.get("text") : undefined;
    if (typeof found === "string") this.wholeDiff = { id: record.id, text: found };
    this.requestUpdate();
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.sendNow();
  };

  /** A tool with a preview is only previewed: applying it takes its own button. */
  sendNow(): void {
    if (hasPreview(this.draft.tool)) void this.preview();
    else this.call();
  }
}

customElements.define("overt-try-tool", ToolView);
