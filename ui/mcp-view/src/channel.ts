// JSON-RPC with one app, over messages of a window. The sandbox page passes on only JSON of a bounded
// length.
import { isObject } from "./trust";
import type { Json } from "./types";

/** Requests of the app that are not answered yet. */
const mostRunning = 64;

type Id = string | number;

export interface Channel {
  /** Takes a message as it came. What is not JSON-RPC is ignored. */
  receive(data: unknown): void;
  /** Cancels what runs for the app. */
  close(): void;
}

export function openChannel(
  post: (message: Json) => void,
  request: (method: string, params: Json, signal: AbortSignal) => Promise<unknown>,
  notification: (method: string, params: Json) => void,
  answered: (id: unknown) => void,
): Channel {
  const running = new Map<unknown, AbortController>();

  const answer = async (id: Id, method: string, params: Json): Promise<void> => {
    const reply = (outcome: Json) => post({ jsonrpc: "2.0", id, ...outcome });
    const fail = (code: number, message: string) => reply({ error: { code, message } });
    if (running.has(id) || running.size >= mostRunning) return fail(-32600, "This id is in use, or too many requests run.");
    const controller = new AbortController();
    const { signal } = controller;
    running.set(id, controller);
    try {
      const result = (await request(method, params, signal)) ?? {};
      // The answer to a cancelled request is not sent.
      if (!signal.aborted) reply({ result });
    } catch (error) {
      const { code, message } = error as { code?: unknown; message?: unknown };
      if (!signal.aborted) fail(Number.isInteger(code) ? (code as number) : -32603, String(message ?? error));
    }
    running.delete(id);
  };

  return {
    receive(data) {
      if (!isObject(data) || data["jsonrpc"] !== "2.0") return;
      const { id, method } = data;
      const params = isObject(data["params"]) ? data["params"] : {};
      const isId = typeof id === "string" || Number.isSafeInteger(id);
      if (typeof method !== "string") answered(id);
      else if (isId) void answer(id as Id, method, params);
      else if (method === "notifications/cancelled") running.get(params["requestId"])?.abort();
      else notification(method, params);
    },
    close() {
      for (const controller of running.values()) controller.abort();
    },
  };
}
