// The types of the API between the page and `overt ui`.

export interface Hello {
  version: string;
  project: string | null;
  readOnly: string | null;
  now: string;
}

export interface Choice {
  choice: string;
  letter: string;
  label: string;
  words: string;
}

export interface PlannedChanges {
  created: number;
  changed: number;
  deleted: number;
  moved: number;
  changes: string[];
  /** Why it can't be undone. */
  irreversible?: { why: string; instead: string } | null;
}

export interface Shown {
  intent: string;
  reason: string;
  client: string | null;
  server: string;
  title?: string | null;
  description?: string | null;
  effect?: string | null;
  arguments?: string[] | null;
  changes?: PlannedChanges | null;
  plan_failure?: string | null;
  reading_tools?: string[] | null;
  changing_tools?: string[] | null;
}

export interface Question {
  id: string;
  digest: string;
  asks: "call" | "trust";
  client: string | null;
  server: string;
  project: string | null;
  tool: string;
  reason: string;
  intent: string;
  arguments: string;
  asked: string;
  waits_until?: string | null;
  until: string;
  calls: number;
  scopes?: string[];
  wider?: string[];
  shown: Shown;
  choices: Choice[];
}

/** A question with its diff. The digest is that of exactly this answer. */
export interface QuestionDetails extends Question {
  diff?: string | null;
}

export interface QuestionRef {
  id: string;
  digest: string;
}

export type Tone = "read" | "change" | "refused" | "failed";

export interface Action {
  time: string;
  log: string;
  call: string;
  client?: string | null;
  project?: string | null;
  server: string;
  method?: string;
  target?: string;
  sentence?: string;
  session?: string;
  outcome: string;
  reason?: string | null;
  changes?: string[];
  change?: string | null;
  onlyReads: boolean;
  words: string;
  ending: string;
  clientName: string;
  projectName: string;
  shortChange?: string | null;
  tone: Tone;
}

export interface ActivityPage {
  actions: Action[];
  next: string | null;
  unread: string[];
}

export interface ActionDetails extends Action {
  diff?: string | null;
  canUndo: boolean;
  stays?: string | null;
  records: unknown[];
  facts: [string, string][];
}

export interface UndoPreview {
  change: string;
  text: string;
  diff?: string | null;
  digest: string;
}

export interface VerifiedLog {
  name: string;
  ok: boolean;
  words: string;
}

export interface Grant {
  id: string;
  says: "allow" | "refuse";
  client?: string | null;
  server?: string | null;
  project?: string | null;
  tools?: string;
  tool?: string | null;
  scopes?: string[];
  lasts?: string;
  holds?: string;
  given?: string;
  expires?: string | null;
}

export interface Trust {
  server: string;
  project: string | null;
  trust: string;
}

export interface Grants {
  grants: Grant[];
  trust: Trust[];
}

export interface ToolUse {
  name: string;
  calls: number;
  refused: number;
  failed: number;
  p50?: number | null;
  p90?: number | null;
  p99?: number | null;
  samples: [number, number][];
}

export interface ServerUse {
  name: string;
  project: string | null;
  trust: string | null;
  calls: number;
  refused: number;
  failed: number;
  last: string | null;
  tools: ToolUse[];
  pins: { state: "accepted" | "changed" | "none"; words: string } | null;
}
