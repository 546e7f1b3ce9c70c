// What the host of an older page put into it: `window.mcp`, `window.App`, `window.mcpData` and the style variables.
// Loaded when a page of the plain media type `text/html` is shown.

/** The older style variables that the host need not set: steps of a scale, after their common name. */
const scales = "text 2xs=.625rem xs=.75rem s=.875rem m=1rem l=1.125rem xl=1.25rem 2xl=1.5rem;leading tight=1.2 normal=1.5 relaxed=1.75;" +
  "weight regular=400 medium=500 bold=700;space 3xs=.125rem 2xs=.25rem xs=.375rem s=.5rem m=.75rem l=1rem xl=1.5rem 2xl=2rem;" +
  "radius 0=0 xs=2px s=4px m=6px l=10px xl=16px round=999px;layer 0=0 1=10 2=20 3=30 4=40;" +
  "duration instant=0s fast=.1s normal=.2s slow=.3s;ease standard=ease emphasized=ease-in-out;font serif=serif;shadow none=none";

/** Puts the bridge before a page. */
export function withBridge(html: string, uri: string): string {
  const data = JSON.stringify([html, uri, scales]).replaceAll("<", "\\u003c");
  return `<meta charset="utf-8"><script>(${String(bridge)})(...${data})</script>`;
}

/**
 * Runs inside of the page, before everything that it has; only the text of this function gets there, so
 * it uses nothing but its arguments and the browser. It gives the page `window.mcp` and `window.App`, loads its own `ui://` scripts, styles and images, and
 * then writes the page.
 */
async function bridge(html: string, uri: string, scales: string): Promise<void> {
  type Any = any;
  const doc = document;
  const root = () => doc.documentElement;
  const waiting: Any = {};
  const handlers: Any = {};
  const missed: Any = {};
  // The page may have numbers of its own for what it sends itself.
  let lastId = 1e9;
  let context: Any = {};
  const ask = (type: string, members: object) =>
    new Promise<Any>((resolve, reject) => {
      waiting[++lastId] = (data: Any) => (data.ok ? resolve(data) : reject(Error(data.error)));
      parent.postMessage({ ...members, type: `mcp:${type}`, id: lastId }, "*");
    });
  const tell = (name: string, value: Any) => (handlers[name] ? handlers[name](value) : (missed[name] = value));
  const setTheme = (theme: string) => theme && (root().dataset["theme"] = root().style.colorScheme = theme);
  const setVariables = (values: Any = {}) => {
    for (const [name, value] of Object.entries(values)) root().style.setProperty(name, value as string);
  };
  const defaults: Any = { "--mcp-ring": "0 0 0 2px" };
  for (const scale of scales.split(";")) {
    const [name, ...steps] = scale.split(" ");
    for (const step of steps) defaults[`--mcp-${name}-${step.split("=")[0]}`] = step.split("=")[1];
  }
  const apply = () => (setVariables({ ...defaults, ...context.styles?.variables }), setTheme(context.theme));
  const page: Any = window;
  let isWritten = false;
  const tellData = () => isWritten && "mcpData" in page && dispatchEvent(new CustomEvent("mcp-data", { detail: page.mcpData }));
  const listen = () =>
    addEventListener("message", ({ source, data }) => {
      if (source !== parent || !data) return;
      const { type, id } = data;
      if (type === "mcp:tool-input") tell("ontoolinput", { arguments: data.input });
      else if (type === "mcp-data:update") {
        page.mcpData = data.payload;
        tellData();
      }
      else if (type === "mcp:host-context-changed") {
        context = { ...context, ...data.context };
        apply();
        tell("onhostcontextchanged", context);
      } else if (id === 0) tell("ontoolresult", data.result);
      else waiting[id]?.(data);
    });
  listen();

  const connected = ask("connect", {}).then((answer) => ((context = answer.hostContext), apply(), answer));
  const callTool = (call: Any, input: Any) =>
    ask("tool-call", { params: call.name ? call : { name: call, arguments: input } }).then(({ result }) => result);
  const mcp = {
    callTool,
    callServerTool: callTool,
    connect: () => connected,
    sendMessage: (params: Any) => ask("send-message", { params }),
    getHostContext: () => context,
    applyHostStyleVariables: setVariables,
    applyDocumentTheme: setTheme,
  };
  for (const name of ["ontoolinput", "ontoolresult", "onhostcontextchanged"])
    Object.defineProperty(mcp, name, {
      set(handler) {
        handlers[name] = handler;
        if (name in missed) handler(missed[name]);
      },
    });
  Object.assign(page, { mcp, App: function () { return mcp; } });

  await connected;
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const element of parsed.querySelectorAll("script[src],link[href],img[src]")) {
    const name = element.localName === "link" ? "href" : "src";
    const from = new URL(element.getAttribute(name)!, uri).href;
    if (!/^ui:/.test(from)) continue;
    const { body, mime } = await ask("request", { uri: from, kind: "document" }).catch(() => ({}));
    const bytes = new Uint8Array(body);
    const text = new TextDecoder().decode(bytes);
    if (name === "href") element.outerHTML = `<style>${text}</style>`;
    else if (element.localName === "img") element.setAttribute(name, `data:${mime};base64,${btoa(bytes.reduce((all, one) => all + String.fromCharCode(one), ""))}`);
    else {
      element.removeAttribute(name);
      element.textContent = text;
    }
  }
  doc.open();
  listen();
  doc.write(`<!doctype html>${parsed.documentElement.outerHTML}`);
  doc.close();
  isWritten = true;
  tellData();
  apply();
  new ResizeObserver(() => ask("height", { height: root().scrollHeight })).observe(root());
}
