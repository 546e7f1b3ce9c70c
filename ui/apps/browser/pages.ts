// Reads a list of the server page by page, so far as it is looked at.
import { callTool, textOf, type Json } from "../shared/bridge";

/** More entries than this are not kept. */
const most = 200_000;

export interface Pages {
  items: Json[];
  total: number | undefined;
  error: string;
  /** Loads the next page, unless one is on its way or there is none. True if there are more. */
  more(): Promise<boolean>;
}

export function openPages(tool: string, input: Json, member: string, changed: () => void): Pages {
  let cursor: string | null | undefined;
  let isLoading = false;
  const pages: Pages = {
    items: [],
    total: undefined,
    error: "",
    async more() {
      if (isLoading || cursor === null || pages.items.length >= most) return false;
      isLoading = true;
      const result = await callTool(tool, cursor ? { ...input, cursor } : input);
      isLoading = false;
      const page = result.structuredContent ?? {};
      cursor = page["next_cursor"] ?? null;
      pages.error = result.isError ? textOf(result) : "";
      pages.items.push(...(page[member] ?? []));
      pages.total = page["total_count"];
      changed();
      return cursor !== null;
    },
  };
  return pages;
}
