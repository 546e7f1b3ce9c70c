// The command palette: every action of the page, found by typing a part of its name.
import { html, nothing, type TemplateResult } from "lit";
import type { Command } from "./commands";
import { Dialog } from "./dialog";

export class Palette extends Dialog {
  protected heading = "Commands";
  private commands: Command[] = [];
  private query = "";
  private active = 0;
  private chosen: Command | null = null;

  open(commands: Command[]): void {
    this.commands = commands;
    this.query = "";
    this.active = 0;
    this.chosen = null;
    this.show();
  }

  protected override opened(): void {
    const input = this.querySelector("input");
    if (input) input.value = "";
    input?.focus();
  }

  /** Runs the command after the focus went back, so that it can move it. */
  protected override closed(): void {
    const command = this.chosen;
    this.chosen = null;
    command?.run();
  }

  private get found(): Command[] {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  }

  protected body(): TemplateResult {
    const found = this.found;
    return html`<input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-label="Command"
        aria-activedescendant=${found.length ? `command-${this.active}` : nothing} autocomplete="off" spellcheck="false"
        placeholder="What do you want to do?" @input=${this.typed} @keydown=${this.pressed}>
      <div role="listbox" id="palette-list" aria-label="Commands">${found.map((command, index) => html`
        <div role="option" id="command-${index}" aria-selected=${index === this.active} @click=${() => this.choose(command)}>
          <span>${command.label}</span>${command.key ? html`<kbd>${command.key}</kbd>` : nothing}</div>`)}</div>
      ${found.length ? nothing : html`<p class="quiet" role="status">No command has these words.</p>`}`;
  }

  private choose(command: Command): void {
    this.chosen = command;
    this.close();
  }

  private readonly typed = (event: Event): void => {
    this.query = (event.target as HTMLInputElement).value;
    this.active = 0;
    this.requestUpdate();
  };

  private readonly pressed = (event: KeyboardEvent): void => {
    const found = this.found;
    if (event.key === "ArrowDown") this.active = Math.min(found.length - 1, this.active + 1);
    else if (event.key === "ArrowUp") this.active = Math.max(0, this.active - 1);
    else if (event.key === "Enter" && found[this.active]) this.choose(found[this.active]!);
    else return;
    event.preventDefault();
    this.requestUpdate();
    void this.updateComplete.then(() => document.getElementById(`command-${this.active}`)?.scrollIntoView({ block: "nearest" }));
  };
}

customElements.define("overt-palette", Palette);
