// The views of a change that a result names in the proposal of seed 002: content items of the types
// `review`, a page for people, and `diff`. Their address is in `url`.
import type { RequestRecord } from "./record";
import { list } from "./schema/resolve";
import { member, text } from "./tool-facts";

export function artifact(record: RequestRecord, type: "review" | "diff"): string {
  const { answer } = record;
  const items = answer?.kind === "result" ? list(answer.result.get("content")) : [];
  return addressOf(items.find((item) => member(item, "type") === type && addressOf(item)));
}

/** The address of a link or of such an item. */
export function addressOf(item: Parameters<typeof member>[0]): string {
  return text(member(item, "uri")) || text(member(item, "url"));
}
