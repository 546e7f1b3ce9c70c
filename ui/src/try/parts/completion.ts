// Fields for the arguments of prompts and the variables of templates, with suggestions of the server.
import type { PropertyValues, TemplateResult } from "lit";
import { html, live, nothing, PageElement, plural, safeText, untrusted } from "../../shell/shared";
import { Debounce, fromPlain, list, member, numberFrom, text } from "../exports";
import type { Json, JsonObject } from "../schema/json";
import type { TryStore } from "../store";

export interface TextArgument {
  name: string;
  description: string;
  isRequired: boolean;
  /** Several values, one in each line. */
  isList: boolean;
}

const mostSuggestions = 20;
/** Dispatches `edit` when a value changed. An argument that was never written is absent. */
export class TextArguments extends PageElement {
  static override properties = { store: { attribute: false }, args: { attribute: false }, values: { attribute: false }, reference: { attribute: false } };

  declare store: TryStore;
  declare args: TextArgument[];
  declare values: Map<string, string>;
  /** What completion refers to: a prompt or a template. */
  declare reference: JsonObject;
  private suggestions: { name: string; values: string[]; more: number } | null = null;
  private readonly asking = new Debounce(150);
  private readonly idPrefix = `arguments-${crypto.randomUUID().slice(0, 8)}`;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.asking.stop();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("values")) this.suggestions = null;
  }

  protected override render(): TemplateResult {
    return html`<div class="form-fields">${this.args.map((argument, at) => this.field(argument, `${this.idPrefix}-${at}`))}</div>`;
  }

  private field(argument: TextArgument, id: string): TemplateResult {
    const { name } = argument;
    const value = this.values.get(name);
    return html`<div class="field"><div class="field-head"><label class="mono strong" for=${id}>${untrusted(name)}</label>
        ${argument.isRequired ? html`<span class="required">required</span>` : nothing}${argument.isList ? html`<span class="quiet">one value in each line</span>` : nothing}
        <span class="field-actions">${value === undefined ? nothing : html`<button type="button" class="field-action" aria-label=${`Leave out: ${safeText(name)}`} @click=${() => this.set(name, undefined)}>Leave out</button>`}</span></div>
      <textarea id=${id} rows=${Math.min(8, (value ?? "").split("\n").length)} placeholder="not set" spellcheck="false" autocomplete="off" .value=${live(value ?? "")}
        @focus=${() => this.suggest(name)} @input=${(event: Event) => this.set(name, (event.target as HTMLTextAreaElement).value)}></textarea>
      ${this.suggestions?.name === name ? this.chips(this.suggestions) : nothing}
      ${argument.description ? html`<div class="quiet field-description"><overt-long-text .text=${argument.description}></overt-long-text></div>` : nothing}</div>`;
  }

  private chips({ name, values, more }: { name: string; values: string[]; more: number }): TemplateResult {
    return html`<div class="suggestions" role="group" aria-label=${`Suggestions for ${safeText(name)}`}>${values.map((value) =>
      html`<button type="button" class="small" @click=${() => this.set(name, value)}>${untrusted(value)}</button>`)}
      ${more > 0 ? html`<span class="quiet">and ${plural(more, "more suggestion")}</span>` : nothing}</div>`;
  }

  private set(name: string, value: string | undefined): void {
    if (value === undefined) this.values.delete(name);
    else this.values.set(name, value);
    this.requestUpdate();
    this.dispatchEvent(new Event("edit"));
    this.suggest(name);
  }

  private suggest(name: string): void {
    if (!this.store.can("completions")) return;
    this.asking.run(() => this.ask(name));
  }

  private async ask(name: string): Promise<void> {
    const { reference, values } = this;
    const written = values.get(name) ?? "";
    const others = new Map([...values].filter(([other]) => other !== name));
    const params = new Map<string, Json>([["ref", reference], ["argument", fromPlain({ name, value: written })]]);
    if (others.size) params.set("context", new Map([["arguments", others]]));
    const answer = await this.store.ask("completion/complete", params);
    if (answer.kind !== "result" || this.values !== values || (values.get(name) ?? "") !== written) return;
    const all = list(member(answer.result, "completion", "values")).map(text).filter((value) => value !== "" && value !== written);
    const total = numberFrom(member(answer.result, "completion", "total")) ?? all.length;
    const shown = all.slice(0, mostSuggestions);
    this.suggestions = shown.length ? { name, values: shown, more: Math.max(total, all.length) - shown.length } : null;
    this.requestUpdate();
  }
}

customElements.define("overt-text-arguments", TextArguments);
