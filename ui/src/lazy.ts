// The part of the page that is loaded when somebody needs it: the policy, and the definitions of servers.
import { html, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";

let loading: Promise<unknown> | null = null;

function loadMore(): Promise<unknown> {
  loading ??= import("./more").catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** Renders what needs that part: a word that it is loading, then the thing itself. */
export class MoreController implements ReactiveController {
  private state: "idle" | "loading" | "loaded" | "failed" = "idle";

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }

  hostConnected(): void {}

  /** Whether that part is there. Asking for it begins to load it. */
  get isReady(): boolean {
    if (this.state === "idle") void this.load();
    return this.state === "loaded";
  }

  render(content: () => TemplateResult): TemplateResult {
    if (this.state === "idle") void this.load();
    if (this.state === "loaded") return content();
    if (this.state === "loading") return html`<div class="empty"><p class="quiet loading" role="status">Loading…</p></div>`;
    return html`<div class="empty"><p class="note warning" role="alert">This part of the page could not be loaded. Is <code>overt ui</code> still running?</p>
      <button type="button" @click=${() => void this.load()}>Try again</button></div>`;
  }

  private async load(): Promise<void> {
    this.state = "loading";
    try {
      await loadMore();
      this.state = "loaded";
    } catch {
      this.state = "failed";
    }
    this.host.requestUpdate();
  }
}
