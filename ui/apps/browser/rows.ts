// A list that renders only the rows that can be seen, and that is used by keyboard: one stop for Tab,
// arrows inside. The tree, the files, what was found and the changes are such lists.
import { html, nothing, type TemplateResult } from "lit-html";

const height = 28;

export interface Row {
  text: string;
  note?: string;
  /** Of a tree only. */
  level?: number;
  isOpen?: boolean;
}

export interface List {
  name: string;
  role: "listbox" | "tree";
  rows: Row[];
  active: number;
  top: number;
  /** All rows that there are, also those that are not loaded yet. */
  total?: number | undefined;
}

export interface ListActions {
  redraw(): void;
  move(index: number): void;
  open(index: number): void;
  /** Keys that the list does not know itself. True if the key was used. */
  key?(event: KeyboardEvent): boolean | void;
  nearEnd?(): void;
}

export const newList = (name: string, role: List["role"] = "listbox"): List => ({ name, role, rows: [], active: 0, top: 0 });

export function listView(list: List, actions: ListActions): TemplateResult {
  const { name, role, rows, active, total = rows.length } = list;
  const first = Math.max(0, Math.floor(list.top / height) - 5);
  const shown = rows.slice(first, first + 40);
  if (first + 60 > rows.length) actions.nearEnd?.();
  const id = (index: number) => `${name}-${index}`;
  const keydown = (event: KeyboardEvent) => {
    const last = rows.length - 1;
    const target = ({ ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + 12, PageUp: active - 12, Home: 0, End: last } as Record<string, number>)[event.key];
    if (actions.key?.(event)) event.preventDefault();
    else if (target !== undefined) {
      event.preventDefault();
      const index = Math.max(0, Math.min(last, target));
      reveal(event.currentTarget as HTMLElement, index);
      actions.move(index);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (rows[active]) actions.open(active);
    }
  };
  return html`<div class="rows" role=${role} tabindex="0" aria-label=${name} aria-activedescendant=${rows[active] ? id(active) : nothing}
    @keydown=${keydown}
    @scroll=${(event: Event) => {
      list.top = (event.target as HTMLElement).scrollTop;
      actions.redraw();
    }}><div style="height:${rows.length * height}px" role="presentation"><div role="presentation" style="transform:translateY(${first * height}px)">
    ${shown.map(({ text, note, level = 0, isOpen }, at) => {
      const index = first + at;
      return html`<div class="row" id=${id(index)} role=${role === "tree" ? "treeitem" : "option"} aria-selected=${index === active} style="padding-left:${0.5 + level}rem"
        aria-posinset=${index + 1} aria-setsize=${total} aria-level=${role === "tree" ? level + 1 : nothing} aria-expanded=${isOpen ?? nothing}
        @click=${() => actions.move(index)} @dblclick=${() => actions.open(index)}>
        <bdi>${isOpen === undefined ? nothing : isOpen ? "\u25be " : "\u25b8 "}${text}</bdi>${note ? html`<small>${note}</small>` : nothing}</div>`;
    })}</div></div></div>`;
}

function reveal(element: HTMLElement, index: number): void {
  const top = index * height;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
}
