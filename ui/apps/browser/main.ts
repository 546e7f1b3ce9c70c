// The file browser: folders, files, search, previews, and changes that are looked at before they are made.
import { html, nothing, render, type TemplateResult } from "lit-html";
import { safeText } from "../../src/safe-text";
import { connect, type Json } from "../shared/bridge";
import { apply, preview, type Change } from "../shared/change";
import { changeView } from "../shared/change-view";
import { sizeText } from "../shared/diff";
import { openPages, type Pages } from "./pages";
import { previewView, readPreview, type FilePreview } from "./preview";
import { listView, newList, type ListActions, type Row } from "./rows";
import { loadTree, nameOf, openAt, parentOf, pathAt, refreshTree, treeRows } from "./tree";

type Mode = "files" | "names" | "text" | "changes";

const folders = newList("Folders", "tree");
const list = newList("Files");
let mode: Mode = "files";
let folder = ".";
let pages: Pages;
let shown: { file?: FilePreview; change?: Change; renaming?: string } = {};
let status = "";

function draw(): void {
  render(view(), document.querySelector("main")!);
}

type Item = Json | string;
const pathOf = (item: Item): string => String((item as Json)["path"] ?? item).replace(/\/$/, "");
const isFolder = (item: Item): boolean => (item as Json)["type"] === "directory" || String(item).endsWith("/");

function rowOf(item: Item): Row {
  if (mode === "changes") {
    const { lines, at, undone } = item as Json;
    return { text: safeText(lines.join(", ")), note: `${undone ? "undone, " : ""}${new Date(at).toLocaleString()}` };
  }
  const path = pathOf(item);
  const { size, match_count } = item as Json;
  const note = match_count ? `${match_count} matches` : size === undefined || isFolder(item) ? "" : sizeText(size);
  return { text: safeText(mode === "files" ? nameOf(path) : path) + (isFolder(item) ? "/" : ""), note };
}

/** Shows another list: a folder, what was found, or the changes. */
function load(next: Mode, tool: string, input: Json, member: string): void {
  mode = next;
  Object.assign(list, { rows: [], active: 0, top: 0, name: next === "changes" ? "Changes" : "Files" });
  shown = {};
  status = "";
  const mine = (pages = openPages(tool, input, member, () => {
    if (pages !== mine) return;
    for (let at = list.rows.length; at < mine.items.length; at += 1) list.rows.push(rowOf(mine.items[at]!));
    list.total = mine.total;
    status = mine.error || `${mine.items.length} of ${mine.total ?? mine.items.length}`;
    draw();
  }));
  void mine.more();
  draw();
}

function openFolder(path: string): void {
  folder = path;
  load("files", "list_directory", { path, sizes: true }, "entries");
}

function search(kind: Mode, text: string): void {
  if (!text) openFolder(folder);
  else if (kind === "text") load("text", "search_files", { path: folder, pattern: text, literal: true, output: "count" }, "files");
  else load("names", "find_files", { path: folder, pattern: text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), syntax: "regex" }, "matches");
}

const showChanges = (): void => load("changes", "list_changes", {}, "changes");

const selected = (): Item | undefined => pages.items[list.active];

async function showChange(tool: string, input: Json): Promise<void> {
  shown = { change: { tool, input, state: "busy" } };
  draw();
  shown = { change: await preview(tool, input) };
  draw();
  document.querySelector<HTMLElement>(".side button")?.focus();
}

async function openItem(index: number): Promise<void> {
  const item = pages.items[index];
  if (!item) return;
  if (mode === "changes") return showChange("revert_change", { change: (item as Json)["change"] });
  const path = pathOf(item);
  if (isFolder(item)) return openFolder(path);
  const file = await readPreview(path);
  if (selected() === item) shown = { file };
  draw();
}

/** Reads again what a change may have touched. */
function refresh(): void {
  const { active } = list;
  if (mode === "changes") showChanges();
  else openFolder(folder);
  list.active = active;
  void refreshTree().then(drawTree);
}

async function makeChange(): Promise<void> {
  const change = shown.change!;
  shown = { change: { ...change, state: "busy" } };
  draw();
  const made = await apply(change);
  if (made.state === "done") refresh();
  shown = { change: made };
  draw();
}

function cancel(): void {
  shown = {};
  draw();
  document.querySelector<HTMLElement>("[role=listbox]")?.focus();
}

function rename(event: SubmitEvent): void {
  event.preventDefault();
  const from = shown.renaming!;
  const to = from.slice(0, from.length - nameOf(from).length) + new FormData(event.target as HTMLFormElement).get("name");
  void showChange("move_file", { from, to });
}

function startRename(): void {
  shown = { renaming: pathOf(selected()!) };
  draw();
  document.querySelector<HTMLInputElement>("[name=name]")?.select();
}

function remove(): void {
  const item = selected()!;
  void showChange("delete_file", { path: pathOf(item), ...(isFolder(item) && { recursive: true }) });
}

async function loadAll(): Promise<void> {
  const mine = pages;
  while (pages === mine && (await mine.more()));
}

const listActions: ListActions = {
  redraw: draw,
  open: (index) => void openItem(index),
  nearEnd: () => void pages.more(),
  move: (index) => {
    list.active = index;
    shown = {};
    draw();
  },
  key: ({ key }) => {
    if (key === "End" && list.rows.length < (list.total ?? 0)) void loadAll();
    if (key === "Backspace" && mode === "files") openFolder(folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) || "/" : ".");
    else if (!selected() || mode === "changes") return false;
    else if (key === "F2") startRename();
    else if (key === "Delete") remove();
    else return false;
    return true;
  },
};

const treeActions: ListActions = {
  redraw: draw,
  move: (index) => {
    folders.active = index;
    openFolder(pathAt(index));
  },
  open: (index) => void openAt(index, !folders.rows[index]?.isOpen).then(drawTree),
  key: ({ key }) => {
    const { active } = folders;
    const isOpen = folders.rows[active]?.isOpen;
    if (key === "ArrowRight" && !isOpen) treeActions.open(active);
    else if (key === "ArrowLeft" && isOpen) treeActions.open(active);
    else if (key === "ArrowLeft") treeActions.move(parentOf(active));
    else return false;
    return true;
  },
};

function drawTree(): void {
  folders.rows = treeRows();
  draw();
}

function side(): TemplateResult | typeof nothing {
  const { change, file, renaming } = shown;
  if (change) {
    return changeView(change, {
      apply: () => void makeChange(),
      again: () => void showChange(change.tool, change.input!),
      undo: () => void showChange("revert_change", { change: change.made }),
      cancel,
    });
  }
  if (renaming !== undefined) {
    return html`<form class="bar" @submit=${rename}><input name="name" aria-label="New name" required .value=${nameOf(renaming)}><button class="main">Preview</button><button type="button" @click=${cancel}>Cancel</button></form>`;
  }
  if (file) return previewView(file);
  return html`<p class="note">${mode === "changes" ? "Enter: what an undo would do." : "Enter opens, Backspace goes up."}</p>`;
}

function view(): TemplateResult {
  const isFile = selected() && mode !== "changes";
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    search((event.submitter as HTMLButtonElement).value as Mode, String(data.get("text")));
  };
  return html`<header>
      <button aria-pressed=${mode === "files"} @click=${() => openFolder(folder)}>Files</button>
      <button aria-pressed=${mode === "changes"} @click=${showChanges}>Changes</button>
      <form role="search" @submit=${find}><input type="search" name="text" aria-label="Search" placeholder="Search in ${safeText(folder)}">
        <button value="names">Names</button><button value="text">Contents</button></form>
    </header>
    <nav class="pane" aria-label="Folders">${listView(folders, treeActions)}</nav>
    <div class="pane">${listView(list, listActions)}
      <div class="bar"><p role="status">${safeText(status)}</p>
        <button ?disabled=${!isFile} @click=${startRename}>Rename…</button><button ?disabled=${!isFile} @click=${remove}>Delete…</button></div></div>
    <div class="side" role="region" aria-label="Details">${side()}</div>`;
}

void connect("overt-fs-browser", {}).then(async () => {
  openFolder(".");
  await loadTree();
  drawTree();
});
