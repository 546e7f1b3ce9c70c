// What is allowed now and by what; the user's own file as a form and as text; what a change would change before it is saved.
import type { TemplateResult } from "lit";
import type { ApiError } from "../api";
import type { Policy, PolicyEdit, PolicyPreview } from "../contract";
import type { Session } from "../session";
import type { Command, PageView } from "../shell/commands";
import { asApiError, html, nothing, PageElement, safeText, SessionController } from "../shell/shared";
import { editorTemplate } from "./editor";
import { effectsTemplate, overlayTemplate } from "./effects";
import { formTemplate } from "./form";
import { settingsTemplate, ToolTable } from "./holds";

/** How long the text must rest before it is looked at. */
const rest = 300;

export class PolicyView extends PageElement implements PageView {
  static override properties = { session: { attribute: false } };

  declare session: Session;
  private policy: Policy | null = null;
  private failure: ApiError | null = null;
  private text = "";
  private preview: PolicyPreview | null = null;
  private previewFailure: ApiError | null = null;
  private editFailure: ApiError | null = null;
  private caution: string | null = null;
  private isLooking = false;
  private isSaving = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private looking: AbortController | null = null;
  private readonly table = new ToolTable(() => this.requestUpdate());

  constructor() {
    super();
    new SessionController(this, () => this.session);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load(true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.looking?.abort();
  }

  private get isChanged(): boolean {
    return this.policy !== null && this.text !== this.policy.text;
  }

  /** Loads the file. A text that was not saved stays, if it was made from the same file. */
  private async load(keepsDraft: boolean): Promise<void> {
    try {
      const policy = await this.session.api.policy();
      const { draft } = this.session;
      this.policy = policy;
      this.failure = null;
      this.editFailure = null;
      this.caution = null;
      this.change(keepsDraft && draft?.digest === policy.digest ? draft.text : policy.text);
    } catch (error) {
      this.failure = asApiError(error);
    }
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { policy, failure } = this;
    return html`<div class="page wide scroll" tabindex="0" role="region" aria-label="Policy">
      <div class="pane-bar page-head"><h1 class="page-title">Policy</h1>
        <button type="button" class="small push" @click=${() => void this.load(true)}>Refresh</button></div>
      ${failure ? html`<p class="note warning" role="alert">${safeText(failure.message)}${failure.hint ? html` ${safeText(failure.hint)}` : nothing}
        <button type="button" class="small" @click=${() => void this.load(true)}>Try again</button></p>` : nothing}
      ${policy ? html`${this.table.render(policy.tools)}${settingsTemplate(policy.settings)}${this.file(policy)}${overlayTemplate((this.preview ?? policy).overlay)}`
        : failure ? nothing : html`<p class="quiet loading" role="status">Reading what holds…</p>`}</div>`;
  }

  private file(policy: Policy): TemplateResult {
    const readOnly = this.session.readOnly !== null;
    const canEdit = !readOnly && policy.tooLong === null;
    const shown = this.isChanged ? this.preview : policy;
    return html`<section class="block-section" aria-label="Your own file"><h2>Your own file</h2>
      <p class="quiet">${policy.exists ? html`<bdi class="mono">${safeText(policy.path)}</bdi> holds for every server that you put Overt in front of.`
        : html`There is no <bdi class="mono">${safeText(policy.path)}</bdi> yet. What you save holds for every server that you put Overt in front of.`}
        ${readOnly ? "This page is read-only." : nothing} ${policy.tooLong ? safeText(policy.tooLong) : nothing}</p>
      <div class="policy-file">
        ${formTemplate({ form: shown?.form ?? null, canEdit, caution: this.caution, failure: this.editFailure, edit: (change) => this.edit(change) })}
        ${editorTemplate({ text: this.text, findings: shown?.findings ?? [], canEdit, changed: (text) => this.change(text) })}
      </div>
      ${effectsTemplate({ isChanged: this.isChanged, isLooking: this.isLooking, preview: this.preview, failure: this.previewFailure, retry: () => this.look() })}
      <p class="actions save-bar">
        <button type="button" class="accent" ?disabled=${!canEdit || !this.isChanged || this.isLooking || this.isSaving || !this.preview || this.preview.unusable !== null}
          @click=${() => void this.save(policy)}>Save</button>
        <button type="button" ?disabled=${!this.isChanged} @click=${() => this.change(policy.text)}>Discard</button>
        <span class="quiet" role="status">${this.isChanged ? "Not saved yet." : "This is what the file says."}</span></p></section>`;
  }

  private change(text: string): void {
    this.text = text;
    this.preview = null;
    this.previewFailure = null;
    clearTimeout(this.timer);
    this.looking?.abort();
    this.isLooking = this.isChanged;
    this.session.draft = this.isChanged && this.policy ? { text, digest: this.policy.digest } : null;
    if (this.isChanged) this.timer = setTimeout(() => this.look(), rest);
    this.requestUpdate();
  }

  private look(): void {
    this.looking?.abort();
    this.looking = new AbortController();
    void this.lookAt(this.text, this.looking.signal);
  }

  private async lookAt(text: string, signal: AbortSignal): Promise<void> {
    this.isLooking = true;
    this.requestUpdate();
    try {
      const preview = await this.session.api.previewPolicy(text, signal);
      if (signal.aborted) return;
      this.preview = preview;
      this.previewFailure = null;
    } catch (error) {
      if (signal.aborted) return;
      this.previewFailure = asApiError(error);
    }
    this.isLooking = false;
    this.requestUpdate();
  }

  private async edit(change: PolicyEdit): Promise<void> {
    const before = this.text;
    try {
      const { text, words, caution } = await this.session.api.editPolicy(before, change);
      // What was typed meanwhile is not thrown away.
      if (this.text !== before) return;
      this.editFailure = null;
      this.caution = caution;
      this.session.announce(`Not saved yet: ${words}`);
      this.change(text);
    } catch (error) {
      this.editFailure = asApiError(error);
    }
    this.requestUpdate();
  }

  private async save(policy: Policy): Promise<void> {
    const { text } = this;
    this.isSaving = true;
    this.requestUpdate();
    try {
      const { words } = await this.session.api.savePolicy(text, policy.digest);
      this.session.draft = null;
      this.session.announce(words);
      await this.load(false);
    } catch (error) {
      this.session.announceError(error);
    }
    this.isSaving = false;
    this.requestUpdate();
  }

  key(): boolean {
    return false;
  }

  commands(): Command[] {
    const commands: Command[] = [{ label: "Read the policy again", run: () => void this.load(true) }];
    if (this.isChanged && this.policy) commands.push({ label: "Discard the changes of the policy", run: () => this.change(this.policy?.text ?? "") });
    return commands;
  }
}

customElements.define("overt-policy", PolicyView);
