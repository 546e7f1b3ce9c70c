// The answers that the selected question, or all marked ones, offer: buttons with their letters.
import { html, nothing, type TemplateResult } from "lit";
import type { Choice } from "../contract";
import { safeText } from "../safe-text";
import { plural } from "../text";

/** Answers that reach far are behind `More`. Their keys work all the same. */
const wider = new Set(["8h", "session-tool", "session-server", "session-reads", "everywhere", "no-session"]);
const refusals = new Set(["no", "no-session", "never"]);
/** Answers that must be given twice. */
export const twice = new Set(["everywhere"]);

export interface ChoiceBar {
  choices: Choice[];
  /** How many questions an answer is for. */
  count: number;
  armed: string | null;
  /** Why the buttons are off, or null. */
  off: string | null;
  isOpen: boolean;
  canTakeBack: boolean;
  choose(choice: string): void;
  takeBack(): void;
  toggle(): void;
}

export function choiceBar(bar: ChoiceBar): TemplateResult {
  const near = bar.choices.filter((choice) => !wider.has(choice.choice));
  const far = bar.choices.filter((choice) => wider.has(choice.choice));
  // An armed choice must be visible.
  const isOpen = bar.isOpen || far.some((choice) => choice.choice === bar.armed);
  return html`<div class="choices" role="group" aria-label=${bar.count > 1 ? `Answer to ${plural(bar.count, "question")}` : "Answer"}>
    ${bar.count > 1 ? html`<p class="choices-note">One answer to ${plural(bar.count, "question")}</p>` : nothing}
    ${bar.off ? html`<p class="choices-note quiet">${safeText(bar.off)}</p>` : nothing}
    <div class="choice-row">
      ${near.map((choice) => button(choice, bar))}
      ${far.length ? html`<button type="button" class="choice plain" aria-expanded=${isOpen} aria-controls="wider" @click=${bar.toggle}>More</button>` : nothing}
      ${bar.canTakeBack ? html`<button type="button" class="choice plain" @click=${bar.takeBack}><kbd>u</kbd> take back</button>` : nothing}
    </div>
    <div class="choice-row" id="wider" ?hidden=${!isOpen}>${far.map((choice) => button(choice, bar))}</div>
  </div>`;
}

function button(choice: Choice, bar: ChoiceBar): TemplateResult {
  const isArmed = bar.armed === choice.choice;
  const kind = refusals.has(choice.choice) ? "refuse" : choice.choice === "once" ? "primary" : "";
  return html`<button type="button" class="choice ${kind}" data-choice=${choice.choice} data-armed=${isArmed ? "yes" : nothing}
    ?disabled=${bar.off !== null} title=${safeText(choice.words)} aria-keyshortcuts=${choice.letter}
    @click=${() => bar.choose(choice.choice)}><kbd>${choice.letter}</kbd> ${isArmed ? "press again: " : nothing}${safeText(choice.label)}</button>`;
}
