// What is allowed and refused now, and by what. A grant can be revoked from here.
import { html, nothing, type TemplateResult } from "lit";
import { createRef, ref } from "lit/directives/ref.js";
import { asApiError, type ApiError } from "../api";
import type { Grant, Grants, Trust } from "../contract";
import { PageElement } from "../element";
import { safeText } from "../safe-text";
import { SessionController, type Session } from "../session";
import type { Command, PageView } from "../shell/commands";
import { formatMoment, lastPart, plural, untrusted } from "../text";
import { grantSentence } from "./sentence";
import "./revoke";
import type { RevokeDialog } from "./revoke";

const trustWords: Record<string, string> = {
  changes: "You are asked for changes.", everything: "You are asked for everything.", record: "Nothing is asked, everything is recorded.",
};

export class GrantsView extends PageElement implements PageView {
  static override properties = { session: { attribute: false } };

  declare session: Session;
  private data: Grants | null = null;
  private failure: ApiError | null = null;
  private readonly dialog = createRef<RevokeDialog>();

  constructor() {
    super();
    new SessionController(this, () => this.session);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.addEventListener("activity", this.load);
    void this.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session.removeEventListener("activity", this.load);
  }

  private readonly load = async (): Promise<void> => {
    try {
      this.data = await this.session.api.grants();
      this.failure = null;
    } catch (error) {
      this.failure = asApiError(error);
    }
    this.requestUpdate();
  };

  protected override render(): TemplateResult {
    const { data, failure } = this;
    return html`<div class="page scroll" tabindex="0" role="region" aria-label="Grants">
      <h1 class="page-title">${data?.grants.length ? plural(data.grants.length, "grant") : "Grants"}</h1>
      ${failure ? html`<p class="note warning" role="alert">${safeText(failure.message)} <button type="button" class="small" @click=${this.load}>Try again</button></p>` : nothing}
      ${data ? html`${this.grants(data.grants)}${this.trust(data.trust)}` : failure ? nothing : html`<p class="quiet" role="status">Loading the grants…</p>`}
      <overt-revoke ${ref(this.dialog)} .session=${this.session} .done=${this.load}></overt-revoke></div>`;
  }

  private grants(grants: Grant[]): TemplateResult {
    if (!grants.length) {
      return html`<div class="empty"><h2>No grants</h2><p>Nothing is allowed or refused beyond your settings. An answer in the inbox that lasts longer than one call
        appears here; <code>overt grants allow TOOL</code> decides in advance.</p></div>`;
    }
    const allowed = grants.filter((grant) => grant.says === "allow");
    const refused = grants.filter((grant) => grant.says !== "allow");
    return html`${allowed.length ? this.list("Allowed without asking", allowed) : nothing}
      ${refused.length ? this.list("Refused without asking", refused) : nothing}`;
  }

  private list(heading: string, grants: Grant[]): TemplateResult {
    return html`<section class="block-section" aria-label=${heading}><h2>${heading}</h2><ul class="cards">${grants.map((grant) => this.card(grant))}</ul></section>`;
  }

  private card(grant: Grant): TemplateResult {
    const readOnly = this.session.readOnly !== null;
    return html`<li class="card" data-grant=${safeText(grant.id)}>
      <div class="card-text"><p class="card-title">${grantSentence(grant)}</p>
        <p class="quiet facts-line">${grant.client ? html`<span>for ${untrusted(grant.client)}</span>` : html`<span>for every client</span>`}
          ${grant.project ? html`<span title=${safeText(grant.project)}>in ${untrusted(lastPart(grant.project))}</span>` : html`<span>in every project</span>`}
          ${grant.holds ? html`<span>${untrusted(grant.holds)}</span>` : nothing}
          ${grant.expires ? html`<span>until ${formatMoment(grant.expires)}</span>` : nothing}
          ${grant.given ? html`<span>given ${formatMoment(grant.given)}</span>` : nothing}<span class="mono">${untrusted(grant.id)}</span></p>
        ${grant.scopes?.length ? html`<ul class="scopes">${grant.scopes.slice(0, 20).map((scope) => html`<li>${untrusted(scope, "mono")}</li>`)}
          ${grant.scopes.length > 20 ? html`<li class="quiet">and ${grant.scopes.length - 20} more</li>` : nothing}</ul>` : nothing}</div>
      <button type="button" class="small" ?disabled=${readOnly} aria-label=${`Revoke ${safeText(grant.id)}`} @click=${() => this.dialog.value?.open(grant)}>Revoke…</button></li>`;
  }

  private trust(trust: Trust[]): TemplateResult {
    return html`<section class="block-section" aria-label="Trust"><h2>Trust in servers</h2>
      ${trust.length ? html`<ul class="cards">${trust.map((one) => html`<li class="card"><div class="card-text">
        <p class="card-title">${untrusted(one.server, "strong")}</p>
        <p class="quiet facts-line"><span>${trustWords[one.trust] ?? untrusted(one.trust)}</span>
        <span>${one.project ? html`in ${untrusted(one.project, "mono")}` : "in every project"}</span></p></div></li>`)}</ul>`
        : html`<p class="quiet">You have not decided about a server yet. The first call of a new server asks.</p>`}
      <p class="quiet"><code>overt trust SERVER changes</code>, <code>deletes</code>, <code>everything</code> or <code>nothing</code> changes it.</p></section>`;
  }

  key(): boolean {
    return false;
  }

  commands(): Command[] {
    return (this.data?.grants ?? []).slice(0, 200).map((grant) => ({
      label: `Revoke ${safeText(grant.id)} (${safeText(grant.tool ?? grant.server ?? "")})`, run: () => this.dialog.value?.open(grant),
    }));
  }
}

customElements.define("overt-grants", GrantsView);
