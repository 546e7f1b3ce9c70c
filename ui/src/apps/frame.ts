// An app of a server (MCP Apps) on the page: `<mcp-view>` in its place, loaded when the first app is shown. The app runs
// on another origin; what it may do is what its host object has.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { McpView } from "../../mcp-view/src/element";
import type { Json, McpViewHost, ResourceContents, ResourceCsp, ResourceUi, Tool } from "../../mcp-view/src/types";
import { PageElement } from "../element";
import { untrusted } from "../text";

/** What is shown: the app, what it may ask for, and the call that it is about, if there is one. */
export interface ShownApp {
  resource: ResourceContents;
  listed?: ResourceUi | undefined;
  host: McpViewHost;
  /** The result is null if the call failed. */
  call?: { tool: Tool; input: Json; result: Json | null } | undefined;
}

/** The most pixels that an app can ask for. */
const maxHeight = 900;
const kinds = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const;

export class AppFrame extends PageElement {
  static override properties = { sandbox: { attribute: false }, load: { attribute: false } };

  /** The address of the sandbox page; null where this page can't show apps. */
  declare sandbox: string | null;
  /** Finds the app. It is called once, and again if somebody wants to try again. */
  declare load: () => Promise<ShownApp>;
  private shown: ShownApp | null = null;
  private problem = "";
  /** Domains that the app declares. It reaches them only if the person says so. */
  private domains: string[] = [];
  private areDomainsAllowed = false;
  private readonly themes = new MutationObserver(() => this.requestUpdate());

  override connectedCallback(): void {
    super.connectedCallback();
    this.themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  /** The address is not known before the page has heard from Overt, and another one after Overt was started anew. */
  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has("sandbox") && this.sandbox) void this.start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.themes.disconnect();
  }

  protected override render(): TemplateResult {
    if (!this.sandbox) return html`<p class="quiet">Apps can't be shown at this address of the page. Start it with <code>--listen 127.0.0.1:0</code>.</p>`;
    const { theme } = document.documentElement.dataset;
    return html`${this.problem ? html`<p class="note warning" role="alert">The app can't be shown: ${untrusted(this.problem)}</p>
        <p class="actions"><button type="button" class="small" @click=${() => void this.start()}>Try again</button></p>`
      : this.shown ? nothing : html`<p class="quiet loading" role="status">Loading the app…</p>`}
      ${this.domains.length && !this.areDomainsAllowed ? html`<div class="note app-domains"><p>The app wants to reach ${untrusted(this.domains.join(", "), "mono")}. It is shown without.</p>
        <p class="actions"><button type="button" class="small" @click=${this.allowDomains}>Allow it</button></p></div>` : nothing}
      <mcp-view sandbox-url=${this.sandbox} max-height=${maxHeight} theme=${theme === "light" || theme === "dark" ? theme : nothing} ?hidden=${!!this.problem}></mcp-view>`;
  }

  private async start(): Promise<void> {
    this.problem = "";
    this.requestUpdate();
    try {
      this.shown ??= await this.load();
      // Variables, so that the files are not made part of this bundle.
      const files = ["/mcp-view/mcp-view.js", "/mcp-view/page-context.js"];
      const [, page] = (await Promise.all(files.map((file) => import(file)))) as [unknown, typeof import("../../mcp-view/src/page-context")];
      await this.updateComplete;
      const view = this.querySelector<McpView>("mcp-view");
      if (view && this.isConnected) await this.open(view, this.shown, page);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.requestUpdate();
  }

  private async open(view: McpView, { resource, listed, host, call }: ShownApp, page: typeof import("../../mcp-view/src/page-context")): Promise<void> {
    const csp = ((resource._meta?.["ui"] ?? listed) as ResourceUi | undefined)?.csp ?? {};
    this.domains = [...new Set(kinds.flatMap((kind) => declared(csp, kind)))].slice(0, 64);
    view.styles = page.readVariables;
    view.context = page.browserContext();
    const opened = view.open({ host, resource, ...(call && { tool: call.tool }), ...(listed && { listed }), allowDomain: () => this.areDomainsAllowed });
    // A page that is not an app is refused at once, and is told nothing.
    if (call && view.state === "loading") {
      view.send("tool-input", { arguments: call.input });
      if (call.result) view.send("tool-result", call.result);
      else view.send("tool-cancelled", { reason: "The call failed." });
    }
    this.requestUpdate();
    await opened;
  }

  private readonly allowDomains = (): void => {
    this.areDomainsAllowed = true;
    void this.start();
  };
}

function declared(csp: ResourceCsp, kind: keyof ResourceCsp): string[] {
  const listed: unknown = csp[kind];
  return Array.isArray(listed) ? listed.filter((name) => typeof name === "string") : [];
}

customElements.define("overt-app-frame", AppFrame);
