// What the view knows about the server: its state, its lists, the requests that were sent, the messages
// on the wire, and the questions that the server asks. Dispatches `change` when something is different.
import type { Session } from "../session";
import { asApiError, EventStream } from "../shell/shared";
import { TryApi } from "./api";
import type { Answer, Message, Problem, ServerQuestion, ServerState } from "./contract";
import { numberFrom, readAnswer, readMessage, readProgress, readQuestion, readState } from "./messages";
import { newRecord, type RequestRecord } from "./record";
import { isObject, parseJson, type Json, type JsonObject } from "./schema/json";
import { list } from "./schema/resolve";
import { member, text } from "./tool-facts";

/** What a server said about itself at one connection. Lists are absent until they were read. */
export interface Snapshot {
  era: string;
  server: Json;
  instructions: Json;
  capabilities: Json;
  lists: ReadonlyMap<string, readonly JsonObject[]>;
}

export type ListName = "tools" | "resources" | "templates" | "prompts";
export interface List {
  entries: JsonObject[];
  state: "loading" | "ready" | "failed";
  problem: string;
}

const sources: Record<ListName, { method: string; member: string }> = {
  tools: { method: "tools/list", member: "tools" },
  resources: { method: "resources/list", member: "resources" },
  templates: { method: "resources/templates/list", member: "resourceTemplates" },
  prompts: { method: "prompts/list", member: "prompts" },
};

/** Browsers open six connections to a server. Two are event streams, and one must stay free for a cancellation. */
const mostRunning = 3;
const mostRecords = 500;
const mostMessages = 2000;
const mostQuestions = 50;
const mostPages = 200;
const mostEntries = 20_000;

export class TryStore extends EventTarget {
  readonly api: TryApi;
  state: ServerState | null = null;
  problem: string | null = null;
  readonly lists = new Map<ListName, List>();
  readonly records: RequestRecord[] = [];
  readonly messages: Message[] = [];
  questions: ServerQuestion[] = [];
  /** What the server said at the connection before, or `null` if there was none. */
  before: Snapshot | null = null;
  /** Messages that the stream may send again, because it began anew after an interruption. */
  private repeated = new Set<string>();
  private count = 0;
  /** Other tabs, and this one after a reload, must not use the same ids. */
  private readonly prefix = crypto.randomUUID().slice(0, 8);
  private readonly stream: EventStream;

  constructor(readonly session: Session) {
    super();
    this.api = new TryApi(session);
    this.stream = new EventStream(this.api, {
      event: (name, data) => this.event(name, data),
      connection: ({ state }) => state === "online" && (this.repeated = new Set(this.messages.map(messageKey))),
    });
  }

  start(): void {
    this.stream.start();
    void this.refresh();
  }

  changed(): void {
    this.dispatchEvent(new Event("change"));
  }

  get isConnected(): boolean {
    return this.state?.state === "connected";
  }

  can(...path: string[]): boolean {
    return member(this.state?.capabilities, ...path) !== undefined;
  }

  /** Reads the state of the connection. */
  async refresh(): Promise<void> {
    try {
      this.took(readState(await this.api.ask("")));
      this.problem = null;
    } catch (error) {
      this.problem = asApiError(error).message;
    }
    this.changed();
  }

  async reconnect(body: JsonObject = new Map()): Promise<void> {
    if (this.state) this.took({ ...this.state, state: "connecting" });
    this.changed();
    try {
      this.took(readState(await this.api.ask("/reconnect", body)));
    } catch (error) {
      this.session.announceError(error);
      await this.refresh();
    }
    this.changed();
  }

  /** Loads a list once; `again` loads it anew. */
  load(name: ListName, again: "again" | "once" = "once"): void {
    if (again === "once" && this.lists.has(name)) return;
    if (this.isConnected) void this.fetchList(name);
  }

  /** Sends a request that the history shows. */
  async send(method: string, params: JsonObject): Promise<RequestRecord> {
    const record = newRecord(this.newId(), method, params);
    return this.run(record);
  }

  /** Sends a call whose progress is reported under the id of the request. */
  async call(name: string, args: Json | undefined, meta: JsonObject): Promise<RequestRecord> {
    const id = this.newId();
    const params: JsonObject = new Map<string, Json>([["name", name]]);
    if (args !== undefined) params.set("arguments", args);
    params.set("_meta", meta.has("progressToken") ? meta : new Map<string, Json>([...meta, ["progressToken", id]]));
    return this.run(newRecord(id, "tools/call", params));
  }

  /** Sends the same request again, with a token for progress of its own. */
  replay(record: RequestRecord): Promise<RequestRecord> {
    const meta = record.params.get("_meta");
    if (!isObject(meta) || meta.get("progressToken") !== record.id) return this.send(record.method, record.params);
    const id = this.newId();
    return this.run(newRecord(id, record.method, new Map(record.params).set("_meta", new Map(meta).set("progressToken", id))));
  }

  /** Sends a request that is only for the view itself, such as for suggestions. */
  async ask(method: string, params: JsonObject): Promise<Answer> {
    return (await this.exchange(this.newId(), method, params)).answer;
  }

  async cancel(record: RequestRecord): Promise<void> {
    try {
      await this.api.ask("/cancel", new Map([["id", record.id]]));
      if (!record.answer) record.isCancelled = true;
    } catch (error) {
      this.session.announceError(error);
    }
    this.changed();
  }

  /** Answers a question of the server with a `result` or a `failure`. */
  async answer(question: ServerQuestion, kind: "result" | "failure", value: JsonObject): Promise<void> {
    try {
      await this.api.ask("/answers", new Map<string, Json>([["id", question.id], [kind, value]]));
      this.questions = this.questions.filter(({ id }) => id !== question.id);
    } catch (error) {
      this.session.announceError(error);
    }
    this.changed();
  }

  async validate(schema: Json, value: Json): Promise<Problem[]> {
    const found = await this.api.ask("/validate", new Map([["schema", schema], ["value", value]]));
    return list(member(found, "problems")).map((problem) => ({ path: text(member(problem, "path")), message: text(member(problem, "message")) }));
  }

  async intent(tool: string, args: Json): Promise<string> {
    return text(member(await this.api.ask("/intent", new Map<string, Json>([["tool", tool], ["arguments", args]])), "sentence"));
  }

  async export(ids: string[]): Promise<string> {
    return text(member(await this.api.ask("/export", new Map([["requests", ids]])), "transcript"));
  }

  private newId(): string {
    this.count += 1;
    return `${this.prefix}-${this.count}`;
  }

  private async run(record: RequestRecord): Promise<RequestRecord> {
    this.records.unshift(record);
    const oldest = this.records.findLastIndex(({ isPinned, answer }) => !isPinned && answer !== null);
    if (this.records.length > mostRecords && oldest > 0) this.records.splice(oldest, 1);
    this.changed();
    const isTooMuch = this.records.filter(({ answer }) => !answer).length > mostRunning;
    const { answer, milliseconds } = isTooMuch ? tooMuch : await this.exchange(record.id, record.method, record.params);
    record.answer = answer;
    record.milliseconds = milliseconds;
    record.progress = null;
    this.changed();
    return record;
  }

  private async exchange(id: string, method: string, params: JsonObject): Promise<{ answer: Answer; milliseconds: number | null }> {
    try {
      const value = await this.api.ask("/requests", new Map<string, Json>([["id", id], ["method", method], ["params", params]]), "unlimited");
      return { answer: readAnswer(value), milliseconds: numberFrom(member(value, "milliseconds")) };
    } catch (error) {
      const { message, hint } = asApiError(error);
      return { answer: { kind: "problem", message, hint }, milliseconds: null };
    }
  }

  private async fetchList(name: ListName): Promise<void> {
    const { method, member: inside } = sources[name];
    const known = this.lists.get(name)?.entries ?? [];
    const loading: List = { entries: known, state: "loading", problem: "" };
    this.lists.set(name, loading);
    this.changed();
    const entries: JsonObject[] = [];
    let cursor: Json | undefined;
    let problem = "";
    for (let page = 0; page < mostPages && entries.length < mostEntries; page += 1) {
      const answer = await this.ask(method, new Map(cursor === undefined ? [] : [["cursor", cursor]]));
      if (answer.kind !== "result") {
        problem = answer.kind === "problem" ? answer.message : answer.failure.message;
        break;
      }
      entries.push(...list(answer.result.get(inside)).filter(isObject));
      cursor = answer.result.get("nextCursor");
      if (cursor === undefined || cursor === null) break;
    }
    // A list that was asked for later is newer.
    if (this.lists.get(name) !== loading) return;
    this.lists.set(name, { entries, state: problem ? "failed" : "ready", problem });
    this.changed();
  }

  private event(name: string, data: string): void {
    let value: Json;
    try {
      value = parseJson(data);
    } catch {
      return this.session.announce("Overt sent an event that can't be read. Reload the page.", "problem");
    }
    if (name === "message") this.message(readMessage(value));
    else if (name === "progress") this.progress(value);
    else if (name === "asks") this.asked(readQuestion(value));
    else if (name === "asks-gone") this.questions = this.questions.filter(({ id }) => id !== text(member(value, "id")));
    else if (name === "state") this.took(readState(value));
    this.changed();
  }

  private message(message: Message): void {
    if (this.repeated.has(messageKey(message))) return;
    this.messages.push(message);
    if (this.messages.length > mostMessages) this.messages.shift();
    const changedList = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(message.method)?.[1];
    if (message.direction !== "received" || !changedList) return;
    const names: ListName[] = changedList === "resources" ? ["resources", "templates"] : [changedList as ListName];
    for (const one of names) if (this.lists.has(one)) this.load(one, "again");
  }

  private progress(value: Json): void {
    const { id, progress } = readProgress(value);
    const record = this.records.find((one) => one.id === id);
    if (record && !record.answer) record.progress = progress;
  }

  private asked(question: ServerQuestion): void {
    if (this.questions.some(({ id }) => id === question.id) || this.questions.length >= mostQuestions) return;
    this.questions = [...this.questions, question];
    this.session.announce("The server asks you something.", "done");
  }

  /** Takes over a state. After a new connection every list is read again. */
  private took(state: ServerState): void {
    const was = this.state;
    if (was?.state === "connected" && state.state !== "connected") this.before = this.snapshot(was);
    this.state = state;
    if (state.state !== "connected" || was?.state === "connected") return;
    const wanted = [...this.lists.keys()];
    this.lists.clear();
    for (const name of wanted) this.load(name);
  }

  snapshot({ era, server, instructions, capabilities }: ServerState): Snapshot {
    const ready = [...this.lists].flatMap(([name, { entries, state }]) => (state === "ready" ? [[name, entries] as const] : []));
    return { era, server, instructions, capabilities, lists: new Map(ready) };
  }
}

const tooMuch = {
  answer: { kind: "problem", message: `${mostRunning} requests are running, and more are not sent.`, hint: "Cancel one of them, or wait for an answer." } as const,
  milliseconds: null,
};

function messageKey({ at, direction, text }: Message): string {
  return `${at} ${direction} ${text}`;
}
