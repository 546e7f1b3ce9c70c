// Questions of the server: elicitation and sampling as forms, roots as a list.
import type { TemplateResult } from "lit";
import { html, keyed, nothing, PageElement, safeText, untrusted } from "../../shell/shared";
import { contentList, Debounce, EditorState, fromPlain, isObject, jsonBlock, list, text } from "../exports";
import type { Problem, ServerQuestion } from "../contract";
import type { Json } from "../schema/json";
import type { TryStore } from "../store";

const messageSchema = fromPlain({
  type: "object", required: ["role", "content", "model"],
  properties: {
    role: { const: "assistant" },
    content: {
      oneOf: [
        { title: "Text", type: "object", required: ["type", "text"], properties: { type: { const: "text" }, text: { type: "string" } } },
        { title: "Image", type: "object", required: ["type", "data", "mimeType"], properties: { type: { const: "image" }, data: { type: "string", description: "base64" }, mimeType: { type: "string", examples: ["image/png"] } } },
        { title: "Other content", type: "array" },
      ],
    },
    model: { type: "string", default: "a person" },
    stopReason: { type: "string", examples: ["endTurn"] },
  },
});
const rootsSchema = fromPlain({
  type: "object", required: ["roots"],
  properties: { roots: { type: "array", items: { type: "object", required: ["uri"], properties: { uri: { type: "string", format: "uri", examples: ["file:///home/ada/site"] }, name: { type: "string" } } } } },
});

export class Questions extends PageElement {
  static override properties = { store: { attribute: false }, questions: { attribute: false } };

  declare store: TryStore;
  declare questions: ServerQuestion[];
  private readonly states = new Map<string, EditorState>();
  private problems: { id: string; found: Problem[] } = { id: "", found: [] };
  private readonly checking = new Debounce(250);

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.checking.stop();
  }

  protected override render(): TemplateResult {
    for (const id of this.states.keys()) if (!this.questions.some((one) => one.id === id)) this.states.delete(id);
    const question = this.questions[0];
    if (!question) return html``;
    const waiting = this.questions.length - 1;
    return html`<section class="server-question" aria-label="Question of the server" data-question=${safeText(question.id)}>
      ${keyed(question.id, html`${this.body(question)}${waiting ? html`<p class="quiet">${waiting} more ${waiting === 1 ? "question waits" : "questions wait"}.</p>` : nothing}`)}</section>`;
  }

  private body(question: ServerQuestion): TemplateResult {
    switch (question.method) {
      case "elicitation/create": return question.params.get("mode") === "url" || question.params.has("url") ? this.address(question) : this.elicitation(question);
      case "sampling/createMessage": return this.sampling(question);
      case "roots/list": return html`<h2>The server asks which folders it may use</h2>${this.form(question, rootsSchema, "Roots")}
        ${this.actions(question, [["Answer", this.formResult(question)], ["Refuse", refusal("The person gave no roots.")]])}`;
      default: return html`<h2>The server asks ${untrusted(question.method, "mono")}</h2>${jsonBlock(question.params, "Parameters")}${this.form(question, true, "Result")}
        ${this.actions(question, [["Answer", this.formResult(question)], ["Refuse", refusal("The person refused.")]])}`;
    }
  }

  private elicitation(question: ServerQuestion): TemplateResult {
    const asked = question.params.get("requestedSchema");
    return html`<h2>The server asks you</h2><overt-long-text class="question-text" .text=${text(question.params.get("message"))}></overt-long-text>
      ${this.form(question, isObject(asked) ? asked : true, "Answer")}
      ${this.actions(question, [
        ["Accept", () => this.accepted(question)], ["Decline", () => ["result", fromPlain({ action: "decline" })]], ["Cancel", () => ["result", fromPlain({ action: "cancel" })]],
      ])}`;
  }

  /** The address is shown as text: whether to open it is up to the person. */
  private address(question: ServerQuestion): TemplateResult {
    return html`<h2>The server asks you to open an address</h2><overt-long-text class="question-text" .text=${text(question.params.get("message"))}></overt-long-text>
      <p class="note mono">${untrusted(text(question.params.get("url")))}</p><p class="quiet">Open it yourself if you trust it. Accept only tells the server that you agree.</p>
      ${this.actions(question, [["Accept", () => ["result", fromPlain({ action: "accept" })]], ["Decline", () => ["result", fromPlain({ action: "decline" })]], ["Cancel", () => ["result", fromPlain({ action: "cancel" })]]])}`;
  }

  private sampling(question: ServerQuestion): TemplateResult {
    const { params } = question;
    const system = text(params.get("systemPrompt"));
    return html`<h2>The server asks a model</h2><p class="quiet">You answer in its place.</p>
      ${system ? html`<h4>System prompt</h4><overt-long-text class="block" .text=${system}></overt-long-text>` : nothing}
      ${list(params.get("messages")).filter(isObject).slice(0, 50).map((message) => {
        const content = message.get("content");
        return html`<div class="message"><p class="strong">${untrusted(text(message.get("role")))}</p>${contentList(Array.isArray(content) ? content : content === undefined ? [] : [content], () => undefined)}</div>`;
      })}
      <details class="more"><summary>All parameters</summary>${jsonBlock(params, "Parameters")}</details>
      ${this.form(question, messageSchema, "Message")}
      ${this.actions(question, [["Answer", this.formResult(question)], ["Refuse", refusal("The person rejected the sampling request.", -1)]])}`;
  }

  private state(question: ServerQuestion, schema: Json): EditorState {
    let state = this.states.get(question.id);
    if (!state) this.states.set(question.id, (state = new EditorState(schema)));
    return state;
  }

  private form(question: ServerQuestion, schema: Json, label: string): TemplateResult {
    return html`<overt-editor .state=${this.state(question, schema)} .label=${label} .problems=${this.problems.id === question.id ? this.problems.found : []} @edit=${() => this.edited(question)}></overt-editor>`;
  }

  private edited(question: ServerQuestion): void {
    this.requestUpdate();
    this.checking.run(() => this.check(question));
  }

  /** Says what does not fit. The answer can be sent anyway: a server must cope with it. */
  private async check(question: ServerQuestion): Promise<void> {
    const state = this.states.get(question.id);
    if (!state?.isReady || state.value === undefined) return;
    const { text } = state;
    try {
      const found = await this.store.validate(state.schema, state.value);
      if (state.text === text) this.problems = { id: question.id, found };
    } catch (error) {
      this.store.session.announceError(error);
    }
    this.requestUpdate();
  }

  private readonly formResult = (question: ServerQuestion) => (): AnswerParts => ["result", this.states.get(question.id)?.value ?? new Map()];

  private accepted(question: ServerQuestion): AnswerParts {
    const content = this.states.get(question.id)?.value;
    return ["result", new Map<string, Json>([["action", "accept"], ["content", content ?? new Map()]])];
  }

  private actions(question: ServerQuestion, all: [string, () => AnswerParts][]): TemplateResult {
    const isReady = this.states.get(question.id)?.isReady ?? true;
    return html`<p class="actions">${all.map(([label, parts], at) => html`<button type="button" class=${at === 0 ? "primary" : ""} ?disabled=${at === 0 && !isReady}
      @click=${() => this.send(question, parts())}>${label}</button>`)}</p>`;
  }

  private send(question: ServerQuestion, [kind, value]: AnswerParts): void {
    if (!isObject(value)) return this.store.session.announce("The answer must be a JSON object.", "problem");
    void this.store.answer(question, kind, value);
  }
}

type AnswerParts = ["result" | "failure", Json];

function refusal(message: string, code = -32000): () => AnswerParts {
  return () => ["failure", fromPlain({ code, message })];
}

customElements.define("overt-try-questions", Questions);
