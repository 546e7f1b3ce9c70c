// `<mcp-view>`: what a page sets, calls and hears.
import { openApp, type App } from "./app";
import { ViewError, type DisplayMode, type Json, type ToldToApp, type ViewOptions, type ViewState } from "./types";

export class McpView extends HTMLElement {
  static observedAttributes = ["theme", "display-mode"];

  /** The display modes that the page can show. The attribute `display-mode` says which one is on. */
  displayModes: DisplayMode[] = ["inline"];
  /** More members for the host context, such as those of `browserContext`. */
  context: Json = {};
  /** The style variables of MCP Apps that the page sets. `readVariables` takes them from its style sheet. */
  styles: (view: McpView) => Record<string, string> = () => ({});
  /** The most characters of HTML. */
  maxHtml = 16e6;
  /** The milliseconds in which an app must start, and in which it may finish. */
  startTimeout = 3e4;
  stopTimeout = 2e3;
  state: ViewState = "empty";
  #app: App | undefined;

  get displayMode(): DisplayMode {
    return (this.getAttribute("display-mode") ?? "inline") as DisplayMode;
  }

  /** Shows an app. Resolves when it is initialized, and rejects if it can't be shown. */
  open(options: ViewOptions): Promise<void> {
    this.#end();
    this.#become("loading");
    return new Promise((resolve, reject) => {
      const settle = (error?: Error) => {
        if (this.state === "loading") this.#become(error ? "failed" : "ready", error);
        if (error) reject(error);
        else resolve();
      };
      try {
        this.#app = openApp(this, options, settle);
      } catch (error) {
        settle(error as Error);
      }
    });
  }

  /** Tells the app something, in the order that the specification gives; it waits until the app listens. */
  send<Kind extends keyof ToldToApp>(kind: Kind, params: ToldToApp[Kind]): void {
    if (!this.#app) throw new ViewError(-32600, "No app is open.");
    this.#app.tell(kind, params);
  }

  /** Lets the app save what it has, and removes it. */
  async close(): Promise<void> {
    const app = this.#app;
    await app?.finish(this.stopTimeout);
    if (this.#app === app) this.#end();
  }

  disconnectedCallback(): void {
    this.#end();
  }

  attributeChangedCallback(name: string): void {
    this.#app?.refresh(name);
  }

  #become(state: ViewState, error?: Error): void {
    this.state = state;
    this.dispatchEvent(new CustomEvent("mcp-state", { detail: { state, error } }));
  }

  #end(): void {
    const app = this.#app;
    if (!app) return;
    this.#app = undefined;
    app.end();
    this.#become("closed");
  }
}
