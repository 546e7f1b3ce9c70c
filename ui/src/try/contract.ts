// The types of the API between this view and `overt inspect`.
import type { Json, JsonObject } from "./schema/json";

declare module "../contract" {
  interface Hello {
    /** The page belongs to `overt inspect`. */
    inspect?: boolean;
  }
}

export type ConnectionState = "connecting" | "connected" | "failed" | "closed";

/** `GET /api/inspect`. */
export interface ServerState {
  target: string;
  state: ConnectionState;
  problem: string;
  hint: string;
  era: string;
  server: JsonObject;
  instructions: string;
  capabilities: JsonObject;
  /** The schema of the settings that the server accepts, wherever it publishes that. */
  configSchema: JsonObject | null;
  milliseconds: number | null;
}

export interface Failure {
  code: string;
  message: string;
  data: Json | undefined;
}

/** What came back for a request: exactly one of the three. */
export type Answer =
  /** `meta` stood beside the result (seed 002). */
  | { kind: "result"; result: JsonObject; meta: JsonObject }
  | { kind: "failure"; failure: Failure }
  /** The request did not reach the server, or its answer did not reach the page. */
  | { kind: "problem"; message: string; hint: string | null };

export interface Progress {
  progress: number;
  total: number | null;
  message: string;
}

/** A request of the server to the person. */
export interface ServerQuestion {
  id: string;
  method: string;
  params: JsonObject;
}

/** A message on the wire. */
export interface Message {
  direction: "sent" | "received";
  at: string;
  text: string;
  method: string;
  /** The id of a request or an answer, as JSON. */
  id: string;
  kind: "request" | "notification" | "result" | "error";
}

export interface Problem {
  path: string;
  message: string;
}
