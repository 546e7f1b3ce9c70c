// The page on which the server shows all that a call will change. It is a page of somebody else: it is shown in the sandbox
// when the person asks for it, and it can do nothing but be looked at.
import { html, nothing, type TemplateResult } from "lit";
import type { McpViewHost } from "../../mcp-view/src/types";
import type { ShownApp } from "../apps/frame";
import "../apps/frame";
import type { QuestionDetails } from "../contract";
import { PageElement } from "../element";
import type { Session } from "../session";

const refuse = (): Promise<never> => Promise.reject(new Error("A page in a question can only be looked at."));

/** It has no server behind it: nothing that the page asks for is done. */
const host: McpViewHost = { info: { name: "Overt", version: "" }, callTool: refuse, listTools: () => Promise.resolve({ tools: [] }) };

export class ReviewPage extends PageElement {
  static override properties = { question: { attribute: false } };

  declare session: Session;
  declare question: QuestionDetails;
  private isOpen = false;

  protected override render(): TemplateResult {
    return html`<details class="more" @toggle=${this.toggled}><summary>The review page of the server</summary>
      ${this.isOpen ? html`<p class="quiet">The server made this page, and Overt did not check it. It can't answer the question.</p>
        <overt-app-frame .sandbox=${this.session.hello?.sandbox ?? null} .load=${this.load}></overt-app-frame>` : nothing}</details>`;
  }

  private readonly toggled = (event: Event): void => {
    this.isOpen = (event.target as HTMLDetailsElement).open;
    this.requestUpdate();
  };

  private readonly load = async (): Promise<ShownApp> => {
    const { id, tool } = this.question;
    const { page } = await this.session.api.reviewPage(id);
    return { resource: { uri: "ui://review/page.html", mimeType: "text/html", text: page }, host, call: { tool: { name: tool }, input: {}, result: {} } };
  };
}

customElements.define("overt-review-page", ReviewPage);
