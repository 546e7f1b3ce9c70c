// What the page knows about `overt ui`: the connection, the open questions, whether it may answer.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { Api, asApiError } from "./api";
import type { Hello, Question } from "./contract";
import { EventStream, type Connection } from "./events";
import { forgetToken, takeToken } from "./token";

export interface Announcement {
  text: string;
  hint: string | null;
  kind: "done" | "problem";
}

/** Dispatches `change` when something is different, `activity` when something new was recorded. */
export class Session extends EventTarget {
  readonly api: Api;
  hello: Hello | null = null;
  questions: Question[] | null = null;
  /** The servers that Overt was put in front of and no longer is, a line for each. */
  unwrapped: string[] = [];
  connection: Connection = { state: "connecting" };
  isAuthorized: boolean;
  announcement: Announcement | null = null;
  /** The text of the policy that is not saved yet, so that it outlives a look at another view. */
  draft: { text: string; digest: string } | null = null;
  private token: string | null;
  private clockOffset = 0;
  private readonly stream: EventStream;
  private silence: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.token = takeToken();
    this.isAuthorized = this.token !== null;
    this.api = new Api(() => this.token, () => this.lock());
    this.stream = new EventStream(this.api, {
      event: (name, data) => this.event(name, data),
      connection: (now) => this.connected(now),
    });
  }

  start(): void {
    if (this.isAuthorized) this.stream.start();
    addEventListener("hashchange", () => this.unlock());
  }

  /** The time of the machine that Overt runs on. */
  now(): number {
    return Date.now() + this.clockOffset;
  }

  get readOnly(): string | null {
    return this.hello?.readOnly ?? null;
  }

  get isOnline(): boolean {
    return this.connection.state === "online";
  }

  retryNow(): void {
    this.stream.retryNow();
  }

  announce(text: string, kind: Announcement["kind"] = "done", hint: string | null = null): void {
    clearTimeout(this.silence);
    this.announcement = { text, kind, hint };
    if (kind === "done") this.silence = setTimeout(() => this.dismiss(), 12_000);
    this.changed();
  }

  announceError(error: unknown): void {
    const failure = asApiError(error);
    this.announce(failure.message, "problem", failure.hint);
  }

  dismiss(): void {
    clearTimeout(this.silence);
    this.announcement = null;
    this.changed();
  }

  private connected(now: Connection): void {
    this.connection = now;
    if (now.state === "online") void this.greet();
    this.changed();
  }

  private async greet(): Promise<void> {
    try {
      this.hello = await this.api.hello();
      const theirs = Date.parse(this.hello.now);
      if (Number.isFinite(theirs)) this.clockOffset = theirs - Date.now();
    } catch (error) {
      this.announceError(error);
    }
    this.changed();
  }

  private event(name: string, data: string): void {
    if (name === "activity") this.dispatchEvent(new Event("activity"));
    if (name !== "questions" && name !== "unwrapped") return;
    try {
      if (name === "unwrapped") this.unwrapped = JSON.parse(data) as string[];
      else this.questions = (JSON.parse(data) as { questions: Question[] }).questions;
    } catch {
      this.announce("Overt sent a list that can't be read. Reload the page.", "problem");
    }
    this.changed();
  }

  private lock(): void {
    forgetToken();
    this.token = null;
    this.isAuthorized = false;
    this.stream.stop();
    this.changed();
  }

  /** A new address with a token was pasted into the same tab. */
  private unlock(): void {
    if (location.hash.includes("token=")) location.reload();
  }

  private changed(): void {
    this.dispatchEvent(new Event("change"));
  }
}

/** Renders an element again whenever the session changes. */
export class SessionController implements ReactiveController {
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly session: () => Session,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.session().addEventListener("change", this.update);
  }

  hostDisconnected(): void {
    this.session().removeEventListener("change", this.update);
  }

  private readonly update = (): void => this.host.requestUpdate();
}
