// The page between a host and an app, on an origin of its own. It has the app's frame, whose origin is
// opaque, and passes messages on, if they are JSON and not too long.
import { approvedDomains } from "./csp";
import { framePolicy, policyOf, withPolicy } from "./policy";
import type { ResourceCsp } from "./types";

interface Params {
  html?: unknown;
  csp?: ResourceCsp;
  permissions?: object;
  allowEval?: unknown;
}
type Data = { method?: unknown; params?: Params } | null | undefined;

/** Characters of a message of the app, as JSON. */
const longestMessage = 8e6;
const prefix = "ui/notifications/sandbox-";
const frame = document.createElement("iframe");
/** The page that holds this one. No other window is listened to. */
const host = document.referrer && new URL(document.referrer).origin;

function load({ html, csp = {}, permissions = {}, allowEval }: Params): void {
  const approved = approvedDomains(csp);
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = framePolicy(approved);
  document.head.append(policy);
  frame.setAttribute("sandbox", "allow-scripts allow-forms");
  frame.allow = Object.keys(permissions)
    .filter((one) => /^(camera|microphone|geolocation|clipboardWrite)$/.test(one))
    .map((one) => `${one.replace("W", "-w")} *`)
    .join(";");
  frame.title = "App";
  frame.srcdoc = withPolicy(String(html), policyOf(approved, allowEval === true));
  document.body.append(frame);
}

/** A copy that is JSON and nothing else, or undefined. */
function asJson(data: unknown): Data {
  try {
    const text = JSON.stringify(data);
    return text.length > longestMessage ? undefined : (JSON.parse(text) as Data);
  } catch {
    return undefined;
  }
}

addEventListener("message", ({ source, origin, data }: MessageEvent<Data>) => {
  if (source === parent && origin === host) {
    const method = String(data?.method);
    if (method === `${prefix}resource-ready` && data?.params && !frame.isConnected) load(data.params);
    else if (!method.startsWith(prefix)) frame.contentWindow?.postMessage(data, "*");
  } else if (frame.isConnected && source === frame.contentWindow && origin === "null") {
    const message = asJson(data);
    if (message && !String(message.method).startsWith(prefix)) parent.postMessage(message, host);
  }
});

if (host && host !== location.origin && parent !== window) {
  parent.postMessage({ jsonrpc: "2.0", method: `${prefix}proxy-ready`, params: {} }, host);
} else {
  document.body.append("This page shows an app inside of another page.");
}
