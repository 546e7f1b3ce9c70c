// What the host of an older page put into it: `window.mcp`, `window.App` and the `--mcp-*` variables.
// Loaded when a page of the plain media type `text/html` is shown.

/** A standard variable, then the older ones that have its value, between semicolons. */
const names = "color-background-primary color-bg surface layer-0;color-background-secondary color-muted color-secondary surface-alt layer-1;" +
  "color-text-primary color-fg color-secondary-fg;color-text-secondary color-muted-fg;color-border-primary color-border-strong;" +
  "color-border-secondary color-border;color-text-info color-primary color-accent;color-background-primary color-primary-fg color-accent-fg;" +
  "color-text-success color-success;color-text-warning color-warning;color-text-danger color-danger;" +
  "font-sans font-sans;font-mono font-mono;border-radius-md radius-m;font-text-md-size text-m";

/** Puts the bridge before a page. */
export function withBridge(html: string, uri: string): string {
  const data = JSON.stringify([html, uri, names]).replaceAll("<", "\\u003c");
  return `<meta charset="utf-8"><script>(${String(bridge)})(...${data})</script>`;
}

/**
 * Runs inside of the page, before everything that it has; only the text of this function gets there, so
 * it uses nothing but its arguments and the browser. It gives the page `window.mcp` and `window.App`, loads its own `ui://` scripts, styles and images, and
 * then writes the page. `names` has the older name of each variable after the standard one.
 */
async function bridge(html: string, uri: string, names: string): Promise<void> {
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
    for (const line of names.split(";")) {
      const [standard, ...older] = line.split(" ");
      for (const name of older) root().style.setProperty(`--mcp-${name}`, values[`--${standard}`]);
    }
  };
  const apply = () => (setVariables(context.styles?.variables), setTheme(context.theme));
  const listen = () =>
    addEventListener("message", ({ source, data }) => {
      if (source !== parent || !data) return;
      const { type, id } = data;
      if (type === "mcp:tool-input") tell("ontoolinput", { arguments: data.input });
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
  Object.assign(window, { mcp, App: function () { return mcp; } });

  await connected;
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const element of page.querySelectorAll("script[src],link[href],img[src]")) {
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
  doc.write(`<!doctype html>${page.documentElement.outerHTML}`);
  doc.close();
  apply();
  new ResizeObserver(() => ask("height", { height: root().scrollHeight })).observe(root());
}
