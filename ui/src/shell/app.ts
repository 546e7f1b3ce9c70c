// The frame of the page: navigation, banners, the live region, the view of the address, the keys.
import { html, nothing, type TemplateResult } from "lit";
import { createRef, ref } from "lit/directives/ref.js";
import "../activity/view";
import { navigate, readAddress, views, type Address, type ViewName } from "../address";
import { PageElement } from "../element";
import { LaterPart } from "../lazy";
import "../grants/view";
import "../inbox/view";
import { safeText } from "../safe-text";
import "../servers/view";
import { Session } from "../session";
import { isTryAddress } from "../try/address";
import { banners, signIn } from "./banners";
import type { Command, PageView } from "./commands";
import "./help";
import type { Help } from "./help";
import "./palette";
import type { Palette } from "./palette";
import { setTheme, setUsesKeys, theme, themes, usesKeys } from "./settings";
import { canTry, goToTry, tryLink, tryView } from "./try";

const names: Record<ViewName, string> = { inbox: "Inbox", activity: "Activity", servers: "Servers", grants: "Grants", policy: "Policy" };

export class App extends PageElement {
  private readonly session = new Session();
  private address: Address = readAddress(location.search);
  private readonly palette = createRef<Palette>();
  private readonly help = createRef<Help>();
  private readonly more = new LaterPart(this, "./more.js");
  private readonly tryPart = new LaterPart(this, "./try.js");
  private isTry = isTryAddress(location.search);
  /** The page of `overt inspect` opens with the server, unless the address names another view. */
  private opensTry = location.search === "";

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.addEventListener("change", this.changed);
    addEventListener("popstate", this.navigated);
    addEventListener("overt-navigate", this.navigated);
    document.addEventListener("keydown", this.pressed);
    this.session.start();
  }

  private readonly changed = (): void => {
    if (this.opensTry && this.session.hello) {
      this.opensTry = false;
      if (canTry(this.session)) goToTry("replace");
    }
    this.requestUpdate();
  };

  private readonly navigated = (): void => {
    this.opensTry = false;
    this.isTry = isTryAddress(location.search);
    this.address = readAddress(location.search);
    this.requestUpdate();
  };

  protected override updated(): void {
    const waiting = this.session.questions?.length ?? 0;
    document.title = `${waiting ? `(${waiting}) ` : ""}${this.isTry ? "Try" : names[this.address.view]} · Overt`;
  }

  protected override render(): TemplateResult {
    const { session } = this;
    if (!session.isAuthorized) return signIn();
    return html`<a class="skip" href="#main" @click=${this.skip}>Skip to the content</a>
      <header class="top">
        <span class="brand"><img src="/icon.svg" alt="" width="20" height="20"> Overt</span>
        <nav aria-label="Views">${canTry(session) ? tryLink(this.isTry, (event) => this.follow(event, "try")) : nothing}${views.map((view) => this.link(view))}</nav>
        <div class="tools">
          <button type="button" class="ghost" @click=${this.openPalette} aria-keyshortcuts="Control+K">Commands <kbd>Ctrl K</kbd></button>
          <button type="button" class="ghost" @click=${this.nextTheme} aria-label=${`Colours: ${theme()}`} title=${`Colours: ${theme()}`}>
            <span class="theme-mark" aria-hidden="true"></span></button>
          <button type="button" class="ghost" @click=${() => this.help.value?.show()} aria-label="Keys" title="Keys">?</button>
        </div>
      </header>
      ${banners(session)}
      <main id="main" tabindex="-1">${this.currentView()}</main>
      ${this.announcement()}
      <overt-palette ${ref(this.palette)}></overt-palette><overt-help ${ref(this.help)}></overt-help>`;
  }

  /** The inbox is always there, so that notifications come and its marks stay. */
  private currentView(): TemplateResult {
    const isInbox = this.address.view === "inbox" && !this.isTry;
    return html`<overt-inbox class="view" ?hidden=${!isInbox} .isActive=${isInbox} .session=${this.session}></overt-inbox>${this.otherView()}${tryView(this.tryPart, this.session, this.isTry)}`;
  }

  private otherView(): TemplateResult | typeof nothing {
    const { session, address } = this;
    if (this.isTry) return nothing;
    switch (address.view) {
      case "inbox": return nothing;
      case "activity": return html`<overt-activity class="view" .session=${session} .address=${address}></overt-activity>`;
      case "servers": return html`<overt-servers class="view" .session=${session} .address=${address}></overt-servers>`;
      case "grants": return html`<overt-grants class="view" .session=${session}></overt-grants>`;
      case "policy": return this.more.render(() => html`<overt-policy class="view" .session=${session}></overt-policy>`);
    }
  }

  private get view(): PageView | null {
    const view = this.querySelector<PageView>("main > .view:not([hidden])");
    return view && "commands" in view ? view : null;
  }

  private link(view: ViewName): TemplateResult {
    const waiting = view === "inbox" ? (this.session.questions?.length ?? 0) : 0;
    return html`<a href=${view === "inbox" ? "/" : `/?view=${view}`} aria-current=${this.address.view === view && !this.isTry ? "page" : nothing}
      @click=${(event: MouseEvent) => this.follow(event, view)}>${names[view]}${
        waiting ? html` <span class="badge"><span class="unseen">, waiting: </span>${waiting}</span>` : nothing}</a>`;
  }

  private announcement(): TemplateResult {
    const { announcement } = this.session;
    return html`<div class="toasts"><div role="status" aria-live="polite">${announcement ? html`<div class="toast ${announcement.kind}">
      <span>${safeText(announcement.text)}${announcement.hint ? html` <span class="quiet">${safeText(announcement.hint)}</span>` : nothing}</span>
      <button type="button" class="ghost" aria-label="Dismiss" @click=${() => this.session.dismiss()}>×</button></div>` : nothing}</div></div>`;
  }

  private follow(event: MouseEvent, view: ViewName | "try"): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    this.go(view);
  }

  private go(view: ViewName | "try"): void {
    if (view === "try") goToTry();
    else navigate({ view, filters: {}, item: null });
  }

  private readonly skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById("main")?.focus();
  };

  private readonly nextTheme = (): void => {
    setTheme(themes[(themes.indexOf(theme()) + 1) % themes.length] ?? "auto");
    this.requestUpdate();
  };

  private readonly openPalette = (): void => {
    // Answers are last: Enter in a palette that just opened must not approve anything.
    this.palette.value?.open([...this.commands(), ...(this.view?.commands() ?? [])]);
  };

  private commands(): Command[] {
    return [
      ...views.map((view, index) => ({ label: `Go to ${names[view]}`, key: String(index + 1), run: () => this.go(view) })),
      ...(canTry(this.session) ? [{ label: "Go to Try", key: "6", run: () => this.go("try") }] : []),
      { label: "Show what was refused today", run: () => navigate({ view: "activity", filters: { outcome: "refused", since: "today" }, item: null }) },
      ...themes.map((one) => ({ label: `Colours: ${one}`, run: () => (setTheme(one), this.requestUpdate()) })),
      { label: usesKeys() ? "Turn single keys off" : "Turn single keys on", run: () => setUsesKeys(!usesKeys()) },
      { label: "Show the keys", key: "?", run: () => this.help.value?.show() },
    ];
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || !this.session.isAuthorized || document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return this.openPalette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const isSingle = event.key.length === 1;
    if (isSingle && !usesKeys()) return;
    if (this.view?.key(event) || this.ownKey(event)) event.preventDefault();
  };

  private ownKey(event: KeyboardEvent): boolean {
    const view = views[Number(event.key) - 1];
    if (view) this.go(view);
    else if (event.key === "6" && canTry(this.session)) this.go("try");
    else if (event.key === "?") this.help.value?.show();
    else return false;
    return true;
  }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
}

customElements.define("overt-app", App);
