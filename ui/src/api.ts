// Requests to `overt ui`. Every failure is an `ApiError` with a text for people.
import type {
  ActionDetails, ActivityPage, Definitions, Grants, Hello, Policy, PolicyEdit, PolicyPreview, QuestionDetails, QuestionRef, ServerUse, UndoPreview,
  VerifiedLog,
} from "./contract";

export class ApiError extends Error {
  constructor(
    /** The HTTP status, or 0 if no answer came. */
    readonly status: number,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new ApiError(0, `Overt does not answer (${text}).`, "Is `overt ui` still running?");
}

/** How long a request may take before it counts as failed. Verifying long logs takes a while. */
const patience = 120_000;

export class Api {
  constructor(
    private readonly token: () => string | null,
    private readonly onUnauthorized: () => void,
  ) {}

  hello(): Promise<Hello> {
    return this.get("/api/hello");
  }

  question(id: string, signal?: AbortSignal): Promise<QuestionDetails> {
    return this.get(`/api/questions/${encodeURIComponent(id)}`, signal);
  }

  reviewPage(id: string): Promise<{ page: string }> {
    return this.get(`/api/reviews/${encodeURIComponent(id)}`);
  }

  answer(choice: string, questions: QuestionRef[]): Promise<{ answered: string[]; words: string }> {
    return this.post("/api/answers", { choice, questions });
  }

  takeBack(): Promise<{ words: string }> {
    return this.post("/api/take-back", {});
  }

  activity(filters: URLSearchParams, signal?: AbortSignal): Promise<ActivityPage> {
    return this.get(`/api/activity?${filters}`, signal);
  }

  action(id: string, signal?: AbortSignal): Promise<ActionDetails> {
    return this.get(`/api/activity/${encodeURIComponent(id)}`, signal);
  }

  undoPreview(change: string): Promise<UndoPreview> {
    return this.get(`/api/undo/${encodeURIComponent(change)}`);
  }

  undo(change: string, digest: string): Promise<{ words: string }> {
    return this.post("/api/undo", { change, digest });
  }

  verify(): Promise<{ logs: VerifiedLog[] }> {
    return this.get("/api/verify");
  }

  grants(): Promise<Grants> {
    return this.get("/api/grants");
  }

  revoke(id: string): Promise<{ words: string }> {
    return this.post("/api/revoke", { id });
  }

  servers(): Promise<{ servers: ServerUse[]; unreadable?: string[] }> {
    return this.get("/api/servers");
  }

  definitions(id: string, signal?: AbortSignal): Promise<Definitions> {
    return this.get(`/api/pins/${encodeURIComponent(id)}`, signal);
  }

  decideDefinitions(id: string, decision: "accept" | "keep", tools: { name: string; digest: string }[]): Promise<{ words: string }> {
    return this.post("/api/pins", { id, decision, tools });
  }

  setTrust(server: string, project: string | null, trust: string | null, was: string | null): Promise<{ words: string }> {
    return this.post("/api/trust", { server, project, trust, was });
  }

  policy(): Promise<Policy> {
    return this.get("/api/policy");
  }

  previewPolicy(text: string, signal: AbortSignal): Promise<PolicyPreview> {
    return this.post("/api/policy/preview", { text }, signal);
  }

  editPolicy(text: string, change: PolicyEdit): Promise<{ text: string; words: string; caution: string | null }> {
    return this.post("/api/policy/edit", { text, change });
  }

  savePolicy(text: string, digest: string): Promise<{ words: string; digest: string }> {
    return this.post("/api/policy", { text, digest });
  }

  /** The event stream. The caller reads the body. */
  async events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.send("/api/events", { signal, headers: { accept: "text/event-stream" } });
    if (!response.body) throw new ApiError(0, "The event stream is empty.");
    return response.body;
  }

  private async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.json<T>(path, {}, signal);
  }

  private async post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    return this.json<T>(path, init, signal);
  }

  private async json<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<T> {
    const limit = AbortSignal.timeout(patience);
    try {
      const response = await this.send(path, { ...init, signal: signal ? AbortSignal.any([signal, limit]) : limit });
      return (await response.json()) as T;
    } catch (error) {
      if (signal?.aborted) throw error;
      throw asApiError(error);
    }
  }

  private async send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${this.token() ?? ""}`);
    const response = await fetch(path, { ...init, headers, cache: "no-store", credentials: "omit", redirect: "error" });
    if (response.ok) return response;
    if (response.status === 401) this.onUnauthorized();
    throw await errorOf(response);
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as { error?: { message?: unknown; hint?: unknown } } | null;
  const message = body?.error?.message;
  const hint = body?.error?.hint;
  return new ApiError(
    response.status,
    typeof message === "string" ? message : `Overt answered with status ${response.status}.`,
    typeof hint === "string" ? hint : null,
  );
}
