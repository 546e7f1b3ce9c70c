// Parts of the page that are loaded when somebody needs them. Each is a file of its own; `build.mjs` makes them.
import { html, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";
import { safeText } from "./safe-text";

/** The policy and what servers define; the view Try; what Try has beyond tools. */
export type LaterFile = "./more.js" | "./try.js" | "./try-parts.js";

/** Loads one file once, and again if that failed. */
export class LaterPart implements ReactiveController {
  private state: "idle" | "loading" | "ready" | "failed" = "idle";
  private problem = "";

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly file: LaterFile,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  /** Whether it is there. */
  get isReady(): boolean {
    return this.state === "ready";
  }

  /** Begins to load it, unless that was done. */
  begin(): void {
    if (this.state === "idle") void this.load();
  }

  /** What needs it: a word that it is loading, then the thing itself. */
  render(content: () => TemplateResult): TemplateResult {
    this.begin();
    if (this.isReady) return content();
    if (this.state === "loading") return html`<div class="empty"><p class="quiet loading" role="status">Loading…</p></div>`;
    return html`<div class="empty"><p class="note warning" role="alert">This part of the page could not be loaded. Is Overt still running? ${safeText(this.problem)}</p>
      <button type="button" @click=${() => void this.load()}>Try again</button></div>`;
  }

  private async load(): Promise<void> {
    this.state = "loading";
    this.host.requestUpdate();
    try {
      // A variable, so that the file is not made part of this bundle.
      const { file } = this;
      await import(file);
      this.state = "ready";
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.state = "failed";
    }
    this.host.requestUpdate();
  }
}
