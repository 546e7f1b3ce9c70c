// An app that a test drives.

export const appType = "text/html;profile=mcp-app";

/** An app that keeps every message and can send any. `before` runs ahead of its handshake. */
export function probe(before = "", { initialized = true } = {}) {
  return `<!doctype html><html lang="en"><head><title>Probe</title></head><body><p>probe</p><script>
const got = []; let last = 0; const waiting = new Map();
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const note = (method, params = {}) => post({ method, params });
const ask = (method, params = {}) => new Promise((resolve) => { const id = ++last; waiting.set(id, resolve); post({ id, method, params }); });
addEventListener("message", ({ source, data }) => {
  if (source !== parent) return; got.push(data);
  if (data.id !== undefined && !data.method) { waiting.get(data.id)?.(data); waiting.delete(data.id); }
  else if (data.id !== undefined) post({ id: data.id, result: {} });
});
${before}
ask("ui/initialize", { appInfo: { name: "probe", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" }).then((answer) => {
  window.answer = answer; ${initialized ? 'note("ui/notifications/initialized");' : ""} });
</script></body></html>`;
}
