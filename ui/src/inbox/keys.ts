// The keys of the inbox. They are those of `overt watch`.
import type { InboxModel } from "./model";

/** What the keys do. */
export interface InboxActions {
  readonly model: InboxModel;
  change(action: () => void): void;
  choose(choice: string): Promise<void>;
  clearMarks(): void;
  focusOn(place: "list" | "details"): void;
  mark(id: string | null): void;
  move(by: number): void;
  moveTo(end: "first" | "last"): void;
  takeBack(): Promise<void>;
}

/** Returns whether the key did something. */
export function inboxKey(event: KeyboardEvent, inbox: InboxActions): boolean {
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (isNavigation(event.key)) return navigationKey(event.key, inbox, target);
  if (event.repeat) return false;
  const { model } = inbox;
  switch (event.key) {
    case " ":
      if (target.closest("button, a, summary, [data-keys=details], overt-rows")) return false;
      inbox.mark(model.selected);
      return true;
    case "*":
      inbox.change(() => model.toggleGroup());
      return true;
    case "u":
      void inbox.takeBack();
      return true;
    case "d":
      inbox.focusOn(target.closest("[data-keys=details]") ? "list" : "details");
      return true;
    case "Enter":
      if (!target.closest("[data-keys=list]") && target !== document.body) return false;
      inbox.focusOn("details");
      return true;
    case "Escape":
      if (model.armed) inbox.change(() => (model.armed = null));
      else if (model.marked.size) inbox.clearMarks();
      else inbox.focusOn("list");
      return true;
  }
  const choice = model.choices().find((one) => one.letter === event.key);
  if (!choice) return false;
  void inbox.choose(choice.choice);
  return true;
}

function isNavigation(key: string): boolean {
  return ["j", "k", "ArrowDown", "ArrowUp", "Home", "End"].includes(key);
}

function navigationKey(key: string, inbox: InboxActions, target: HTMLElement): boolean {
  // In the details and on buttons the arrows keep their own meaning.
  if (key.length > 1 && target !== document.body && !target.closest("[data-keys=list]")) return false;
  if (key === "Home" || key === "End") inbox.moveTo(key === "Home" ? "first" : "last");
  else inbox.move(key === "j" || key === "ArrowDown" ? 1 : -1);
  return true;
}
