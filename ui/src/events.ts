// Follows the event stream of `overt ui`, and connects again when it ends. `EventSource` can't send
// the token, so the stream is read with `fetch`.
import { ApiError, asApiError, type Api } from "./api";

export type Connection =
  | { state: "connecting" }
  | { state: "online" }
  | { state: "offline"; retryAt: number; why: string };

export interface StreamListener {
  event(name: string, data: string): void;
  connection(now: Connection): void;
}

/** The longest event that is read. A list of 64 questions has a few hundred kilobytes. */
const longestEvent = 64 * 1024 * 1024;
/** A stream that says nothing for so long is dead: comments come every 15 seconds. */
const silence = 45_000;

export class EventStream {
  private stopped = false;
  private failures = 0;
  private wake: (() => void) | null = null;
  private abort = new AbortController();

  constructor(
    private readonly api: Api,
    private readonly listener: StreamListener,
  ) {}

  start(): void {
    void this.run();
  }

  stop(): void {
    this.stopped = true;
    this.abort.abort();
    this.wake?.();
  }

  /** Tries to connect now instead of at the end of the pause. */
  retryNow(): void {
    this.failures = 0;
    this.wake?.();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.abort = new AbortController();
      this.listener.connection({ state: "connecting" });
      let why = "The connection to Overt ended.";
      try {
        await this.read(await this.api.events(this.abort.signal));
      } catch (error) {
        const failure = asApiError(error);
        if (failure.status === 401) return;
        why = failure.message;
      }
      if (this.stopped) return;
      const pause = Math.min(15_000, 500 * 2 ** this.failures);
      this.failures += 1;
      this.listener.connection({ state: "offline", retryAt: Date.now() + pause, why });
      await this.sleep(pause);
    }
  }

  private sleep(pause: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    const parser = new EventParser((name, data) => this.listener.event(name, data));
    this.listener.connection({ state: "online" });
    for (;;) {
      const timer = setTimeout(() => this.abort.abort(), silence);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      this.failures = 0;
      parser.feed(value);
    }
  }
}

/** Cuts a `text/event-stream` into events. */
export class EventParser {
  private rest = "";

  constructor(private readonly emit: (name: string, data: string) => void) {}

  feed(text: string): void {
    this.rest += text;
    if (this.rest.length > longestEvent) throw new ApiError(0, "An event of Overt is too long.");
    for (;;) {
      const end = /\r?\n\r?\n/.exec(this.rest);
      if (!end) return;
      const block = this.rest.slice(0, end.index);
      this.rest = this.rest.slice(end.index + end[0].length);
      this.dispatch(block);
    }
  }

  private dispatch(block: string): void {
    let name = "message";
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") name = value;
      else if (field === "data") data.push(value);
    }
    if (data.length) this.emit(name, data.join("\n"));
  }
}
