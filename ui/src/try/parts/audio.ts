// Plays audio from base64. The content security policy allows no media addresses, so the browser's
// decoder gets the bytes themselves.
import type { TemplateResult } from "lit";
import { html, nothing, PageElement, safeText } from "../../shell/shared";
import { decode, sizeOf } from "../exports";

export class Audio extends PageElement {
  static override properties = { data: { attribute: false }, type: { attribute: false } };

  declare data: string;
  declare type: string;
  private context: AudioContext | null = null;
  private problem = "";
  private seconds: number | null = null;

  constructor() {
    super();
    this.data = "";
    this.type = "";
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop();
  }

  protected override render(): TemplateResult {
    return html`<p class="actions"><button type="button" class="small" @click=${this.context ? this.stop : this.play}>${this.context ? "Stop" : "Play"}</button>
      <span class="quiet">${safeText(this.type)}, ${sizeOf(this.data)} bytes${this.seconds === null ? nothing : `, ${this.seconds.toFixed(1)} s`}</span>
      ${this.problem ? html`<span class="problem" role="status">${safeText(this.problem)}</span>` : nothing}</p>`;
  }

  private readonly play = async (): Promise<void> => {
    const bytes = decode(this.data);
    const context = new AudioContext();
    this.context = context;
    this.problem = "";
    this.requestUpdate();
    try {
      if (!bytes) throw new Error("The audio is not valid base64.");
      const buffer = await context.decodeAudioData(bytes.buffer);
      if (this.context !== context) return;
      this.seconds = buffer.duration;
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(context.destination);
      source.onended = () => this.context === context && this.stop();
      source.start();
    } catch (error) {
      this.problem = `This browser can't play it (${error instanceof Error ? error.message : String(error)}).`;
      this.stop();
    }
    this.requestUpdate();
  };

  private readonly stop = (): void => {
    void this.context?.close().catch(() => undefined);
    this.context = null;
    this.requestUpdate();
  };
}

customElements.define("overt-audio", Audio);
