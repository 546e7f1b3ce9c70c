// One open app: its frame with the sandbox page, who is listened to, its size, and what it is told
// about the page around it.
import { approvedDomains } from "./csp";
import { openSession, type Session } from "./session";
import { ViewError, type DisplayMode, type Json, type ResourceUi, type ViewOptions } from "./types";

const appType = "text/html;profile=mcp-app";
const sandboxMessage = "ui/notifications/sandbox-";

export interface App extends Session {
  /** Tells the app what an attribute of the element changed. */
  refresh(attribute: string): void;
  end(): void;
}

/** What an app needs of its element. `McpView` says what each member means. */
export interface AppElement extends HTMLElement {
  displayModes: DisplayMode[];
  readonly displayMode: DisplayMode;
  context: Json;
  styles(view: AppElement): Record<string, string>;
  maxHtml: number;
  startTimeout: number;
  close(): Promise<void>;
}

/** Puts an app into the element. Throws if it can't be shown; `settle` says how the start ended. */
export function openApp(view: AppElement, options: ViewOptions, settle: (error?: Error) => void): App {
  const { resource, listed, tool, toolCallId, host, permissions = [], allowEval } = options;
  const { uri, mimeType, text, blob = "", _meta } = resource;
  const isApp = mimeType === appType;
  const { origin, protocol, href } = new URL(view.getAttribute("sandbox-url") ?? "", document.baseURI);
  const problem =
    !isApp && mimeType !== "text/html" ? `The media type of an app is ${appType}.`
    : origin === location.origin || !/^http/.test(protocol) ? "sandbox-url must be on another origin."
    : (text ?? blob).length > view.maxHtml ? `The app has more than ${view.maxHtml} characters.`
    : 0;
  if (problem) throw new ViewError(-32602, problem);

  const ui = (_meta?.["ui"] ?? listed ?? {}) as ResourceUi;
  const csp = approvedDomains(ui.csp, options.allowDomain);
  const granted = Object.fromEntries(permissions.filter((name) => ui.permissions?.[name]).map((name) => [name, {}]));

  const frame = document.createElement("iframe");
  const { style } = frame;
  const stop = new AbortController();
  const { signal } = stop;
  const maxHeight = Number(view.getAttribute("max-height")) || 2e3;
  let height = 150;
  let resizing = 0;

  const post = (message: Json) => frame.contentWindow?.postMessage(message, origin);
  const emit = (name: string, detail: Json) => view.dispatchEvent(new CustomEvent(`mcp-${name}`, { detail, cancelable: true }));
  // Without a theme the app does what the system says.
  const theming = (): Json => ({ theme: view.getAttribute("theme") ?? undefined, styles: { variables: view.styles(view) } });
  const display = (): Json => {
    const { displayMode, clientWidth: width } = view;
    return { displayMode, containerDimensions: displayMode === "inline" ? { width, maxHeight } : { width, height: view.clientHeight } };
  };
  const fit = () => (style.height = view.displayMode === "inline" ? `${height}px` : "100%");
  const changed = (parts: Json) => session.notify("ui/notifications/host-context-changed", parts);

  const session = openSession(host, { csp, permissions: granted }, {
    post,
    emit,
    initialized: settle,
    closeSoon: () => view.close(),
    context: () => ({
      ...(tool && { toolInfo: { id: toolCallId, tool } }),
      ...theming(),
      ...display(),
      availableDisplayModes: view.displayModes,
      ...view.context,
    }),
    resize: (size) => {
      const wanted = size["height"];
      if (typeof wanted !== "number" || wanted < 0) return;
      height = Math.min(Math.ceil(wanted), maxHeight);
      // An app that answers each resize by another one gets one for each frame, up to the bound.
      resizing ||= requestAnimationFrame(() => {
        resizing = 0;
        fit();
        emit("size-changed", { ...size, height });
      });
    },
    setDisplayMode: (mode) => {
      if (view.displayModes.includes(mode as DisplayMode)) view.setAttribute("display-mode", mode as string);
      return view.displayMode;
    },
  });

  const deliver = async () => {
    const html = text ?? new TextDecoder().decode(Uint8Array.from(atob(blob), (one) => one.charCodeAt(0)));
    const page = isApp ? html : (await import("./legacy-bridge")).withBridge(html, uri);
    post({ jsonrpc: "2.0", method: `${sandboxMessage}resource-ready`, params: { html: page, csp, permissions: granted, ...(allowEval && { allowEval }) } });
    // A plain page need not say anything.
    if (!isApp) settle();
  };
  let isDelivered = false;
  addEventListener("message", (event) => {
    const { data } = event;
    if (event.source !== frame.contentWindow || event.origin !== origin) return;
    if (isDelivered) session.receive(data);
    else if ((isDelivered = data?.method === `${sandboxMessage}proxy-ready`)) deliver().catch(settle);
  }, { signal });
  const timer = setTimeout(settle, view.startTimeout, new ViewError(-32000, "The app did not start."));

  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  frame.allow = Object.keys(granted).join(";").replace("W", "-w");
  frame.referrerPolicy = "origin";
  frame.title = (tool?.["title"] as string | undefined) ?? tool?.name ?? uri;
  frame.src = href;
  style.cssText = "display:block;width:100%;border:0";
  view.style.display ||= "block";
  (view.shadowRoot ?? view.attachShadow({ mode: "open" })).append(frame);
  fit();

  return {
    ...session,
    refresh: (attribute) => {
      fit();
      changed(attribute === "theme" ? theming() : display());
    },
    end: () => {
      clearTimeout(timer);
      stop.abort();
      session.close();
      frame.remove();
      settle(new ViewError(-32000, "The view was closed."));
    },
  };
}
