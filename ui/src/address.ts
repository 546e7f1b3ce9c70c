// Views and filters are in the query string, so that reload, back and bookmarks work.

export const views = ["inbox", "activity", "servers", "grants", "policy"] as const;
export type ViewName = (typeof views)[number];

export const filterNames = ["client", "project", "server", "tool", "outcome", "changed", "since", "until"] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Partial<Record<FilterName, string>>;

export interface Address {
  view: ViewName;
  filters: Filters;
  /** What is selected in the view: an action, a server. */
  item: string | null;
}

export function readAddress(search: string): Address {
  const query = new URLSearchParams(search);
  const view = views.find((one) => one === query.get("view")) ?? "inbox";
  const filters: Filters = {};
  for (const name of filterNames) {
    const value = query.get(name)?.trim();
    if (value) filters[name] = value;
  }
  return { view, filters, item: query.get("item") || null };
}

export function writeAddress(address: Address): string {
  const query = new URLSearchParams();
  if (address.view !== "inbox") query.set("view", address.view);
  for (const name of filterNames) {
    const value = address.filters[name];
    if (value) query.set(name, value);
  }
  if (address.item) query.set("item", address.item);
  const text = query.toString();
  return text ? `/?${text}` : "/";
}

/** Goes to an address. Elements listen to `overt-navigate` on the window. */
export function navigate(address: Address, how: "push" | "replace" = "push"): void {
  const target = writeAddress(address);
  if (target !== location.pathname + location.search) {
    if (how === "push") history.pushState(null, "", target);
    else history.replaceState(null, "", target);
  }
  dispatchEvent(new Event("overt-navigate"));
}
