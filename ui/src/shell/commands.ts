// What a view gives to the shell around it.

export interface Command {
  label: string;
  key?: string;
  run(): void;
}

export interface PageView extends HTMLElement {
  /** Handles a key and says whether it did. */
  key(event: KeyboardEvent): boolean;
  commands(): Command[];
}
