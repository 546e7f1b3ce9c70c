// The tab and the selected entry are in the query string, so that reload, back and bookmarks work.

export const tabs = ["tools", "resources", "prompts", "history", "server"] as const;
export type Tab = (typeof tabs)[number];

export interface TryAddress {
  tab: Tab;
  item: string;
}

export function isTryAddress(search: string): boolean {
  return new URLSearchParams(search).get("view") === "try";
}

export function readTryAddress(search: string): TryAddress {
  const query = new URLSearchParams(search);
  return { tab: tabs.find((one) => one === query.get("tab")) ?? "tools", item: query.get("item") ?? "" };
}

export function writeTryAddress({ tab, item }: TryAddress): string {
  const query = new URLSearchParams({ view: "try" });
  if (tab !== "tools") query.set("tab", tab);
  if (item) query.set("item", item);
  return `/?${query}`;
}

export function navigateTry(address: TryAddress): void {
  const target = writeTryAddress(address);
  if (target !== location.pathname + location.search) history.pushState(null, "", target);
  dispatchEvent(new Event("overt-navigate"));
}
