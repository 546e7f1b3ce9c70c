// The folders: which are open, and the rows that this gives.
import { safeText } from "../../src/safe-text";
import { callTool, type Json } from "../shared/bridge";
import type { Row } from "./rows";

interface Folder {
  path: string;
  name: string;
  level: number;
  isOpen?: boolean;
  inner?: Folder[];
}

/** Folders of one folder that the tree shows. The list beside it has all of them. */
const mostFolders = 1000;

let roots: Folder[] = [];
/** The folders on the rows, from top to bottom. */
let visible: Folder[] = [];

export async function loadTree(): Promise<void> {
  const { structuredContent } = await callTool("list_roots", {});
  roots = (structuredContent?.["roots"] ?? []).map((root: Json) => ({ path: root["default"] ? "." : root["path"], name: root["path"], level: 0 }));
  visible = roots;
  await openAt(0, true);
}

export function treeRows(): Row[] {
  const flat = (folder: Folder): Folder[] => [folder, ...(folder.isOpen ? (folder.inner ?? []).flatMap(flat) : [])];
  visible = roots.flatMap(flat);
  return visible.map(({ name, level, isOpen = false }) => ({ text: safeText(name), level, isOpen }));
}

export const pathAt = (index: number): string => visible[index]?.path ?? ".";

/** The row of the folder that this one is in. */
export function parentOf(index: number): number {
  let at = index;
  while (at > 0 && visible[at]!.level >= visible[index]!.level) at -= 1;
  return at;
}

export async function openAt(index: number, isOpen: boolean): Promise<void> {
  const folder = visible[index];
  if (!folder) return;
  folder.isOpen = isOpen;
  if (isOpen) await read(folder);
}

/** Reads the open folders again. */
export async function refreshTree(): Promise<void> {
  for (const folder of visible) if (folder.isOpen) await read(folder);
}

async function read(folder: Folder): Promise<void> {
  const paths: string[] = [];
  let cursor: string | undefined;
  do {
    const { structuredContent: page = {} } = await callTool("find_files", { path: folder.path, type: "directory", max_depth: 1, no_ignore: true, ...(cursor && { cursor }) });
    paths.push(...(page["matches"] ?? []));
    cursor = page["next_cursor"];
  } while (cursor && paths.length < mostFolders);
  folder.inner = paths.map((match) => {
    const path = match.slice(0, -1);
    return folder.inner?.find((one) => one.path === path) ?? { path, name: nameOf(path), level: folder.level + 1 };
  });
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1) || path;
