// Requests to `overt inspect`. Bodies and answers are JSON with exact numbers, so they do not pass
// through `JSON.parse`.
import type { Session } from "../session";
import { Api, ApiError, asApiError, takeToken } from "../shell/shared";
import { parseJson, writeJson, type Json } from "./schema/json";
import { member, text } from "./tool-facts";

/** How long a request may take. Calls of a server have no limit here: a person can cancel them. */
const patience = 120_000;

export class TryApi extends Api {
  constructor(private readonly session: Session) {
    super(takeToken, () => undefined);
  }

  override async events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.fetch("/api/inspect/events", { signal, headers: { accept: "text/event-stream" } });
    if (!response.body) throw new ApiError(0, "The event stream is empty.");
    return response.body;
  }

  /** Gets a path of `/api/inspect`, or posts a body to it. */
  async ask(path: string, body?: Json, limit: "limited" | "unlimited" = "limited"): Promise<Json> {
    const signal = limit === "limited" ? { signal: AbortSignal.timeout(patience) } : {};
    const posted = body === undefined ? {} : { method: "POST", body: writeJson(body), headers: { "content-type": "application/json" } };
    try {
      const response = await this.fetch(`/api/inspect${path}`, { ...posted, ...signal });
      return parseJson(await response.text());
    } catch (error) {
      throw asApiError(error);
    }
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${takeToken() ?? ""}`);
    const response = await fetch(path, { ...init, headers, cache: "no-store", credentials: "omit", redirect: "error" });
    if (response.ok) return response;
    // The page's own connection finds out that its token is not valid, and asks for a new one.
    if (response.status === 401) void this.session.api.hello().catch(() => undefined);
    throw await errorOf(response);
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  let body: Json = null;
  try {
    body = parseJson(await response.text());
  } catch {
    // The status alone must do.
  }
  return new ApiError(response.status, text(member(body, "error", "message")) || `Overt answered with status ${response.status}.`, text(member(body, "error", "hint")) || null);
}
