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
  /** Which files of it can start programs or permit tools. */
  guarded?: string | null;
}

export interface Shown {
  intent: string;
  /** The words are only the tool's name and its arguments. */
  intent_is_generic?: boolean;
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
  /** What the person chose in a dialog, as the client says. No call waits for the answer. */
  proposed?: string | null;
  /** What changed in the tool since the person decided about its server. */
  redefined?: Redefinition | null;
}

export interface Redefinition {
  /** Whether the person was not shown the tool at all. */
  is_new?: boolean;
  /** Empty where the definition before is not kept. */
  members: { name: string; was: string | null; now: string | null }[];
  /** Other tools of the server that changed too. */
  others: string[];
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

/** How much of a long diff an answer does not have. */
export interface LeftOut {
  bytes: number;
  of: number;
}

/** A diff, or the beginning of a long one. */
export interface WithDiff {
  diff?: string | null;
  diffLeftOut?: LeftOut | null;
}

/** A question with its diff. The digest is that of exactly this answer. */
export interface QuestionDetails extends Question, WithDiff {
  /** Whether the server made a page that shows all that the call will change. */
  hasReviewPage?: boolean;
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

export type Verdict = "allow" | "needs_approval" | "deny";

/** What one layer says about a call. */
export interface Layer {
  layer: string;
  verdict: Verdict;
  why: string;
  change?: string;
}

export interface DecisionOf {
  then: { verdict: string | null; layer: string | null; rules: string[]; reason: string | null; grant: string | null; trust: string | null };
  /** What would be decided now; null if the record does not say enough. */
  now: { verdict: Verdict; layers: Layer[]; decided_by: Layer | null; needed_scopes: string[] } | null;
}

export interface ActionDetails extends Action, WithDiff {
  decision?: DecisionOf | null;
  canUndo: boolean;
  stays?: string | null;
  records: unknown[];
  facts: [string, string][];
}

export interface UndoPreview extends WithDiff {
  change: string;
  text: string;
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
  project?: string | null;
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
  basis?: string | null;
  effect?: string | null;
}

export interface FailedCall {
  at: string;
  tool: string;
  word: string;
  call: string;
}

export interface ServerUse {
  name: string;
  /** The whole name in grants and trust. */
  identity?: string;
  project: string | null;
  trust: string | null;
  calls: number;
  refused: number;
  failed: number;
  last: string | null;
  tools: ToolUse[];
  pins: { id?: string; state: "accepted" | "changed" | "none"; words: string } | null;
  /** One of Overt's own. */
  isOwn?: boolean;
  failures?: FailedCall[];
  /** Calls during which the connection to the server was lost. */
  lost?: number;
  starts?: { count: number; crashes: number; last: string } | null;
  /** How often the connection to the server was lost and opened again; null for one of Overt's own. */
  restarts?: { count: number; last: string | null; lost: number; losses: { at: string; reason: string }[] } | null;
}

/** A tool as it is remembered. */
export interface Definition extends WithDiff {
  name: string;
  state: "accepted" | "new" | "changed" | "conflicting" | "removed";
  acceptedAt: string | null;
  seenAt: string | null;
  goneAt: string | null;
  /** Names what would be accepted. */
  digest: string | null;
  basis: string;
  isConflicting: boolean;
  title?: string | null;
  description?: string | null;
  says?: string[];
  tokens?: number | null;
  definition?: string;
  card?: string | null;
}

export interface Definitions {
  id: string;
  identity: string;
  started: string;
  firstSeen: string;
  tokens: number;
  leftOut: number;
  tools: Definition[];
}

export interface Finding {
  line: number | null;
  column: number | null;
  severity: string;
  at: string;
  problem: string;
  fix: string;
}

export interface PolicyForm {
  lists: { list: string; means: string; items: string[] }[];
  rules: { id: string; action: string; when: string; reason: string | null }[];
  others: string[];
}

export interface Decided {
  verdict: Verdict;
  by: string;
}

export interface ToolRow {
  server: string;
  project: string | null;
  tool: string;
  now: Decided;
  then: Decided | null;
}

export interface CallRow extends ToolRow {
  sentence: string;
  calls: number;
  call: string;
  last: string;
}

export interface Compared<Row> {
  rows: Row[];
  all: number;
  changed: number;
  leftOut: number;
}

export interface Overlay {
  path: string;
  problem: string | null;
  widens: Finding[];
}

export interface SettingValue {
  value: unknown;
  from: string;
  file?: string;
  line?: number;
  variable?: string;
}

export interface Policy {
  path: string;
  exists: boolean;
  text: string;
  digest: string;
  tooLong: string | null;
  findings: Finding[];
  form: PolicyForm | null;
  settings: Record<string, SettingValue>;
  tools: Compared<ToolRow>;
  overlay: Overlay | null;
}

export interface PolicyPreview {
  findings: Finding[];
  form: PolicyForm | null;
  diff: string;
  overlay: Overlay | null;
  unusable: string | null;
  tools?: Compared<ToolRow>;
  calls?: Compared<CallRow>;
}

export interface PolicySubject {
  kind: "tool" | "server" | "path";
  what: string;
  server?: string;
  partly?: boolean;
}

export type PolicyEdit =
  | { forbid: PolicySubject }
  | { permit: PolicySubject }
  | { "remove-item": { list: string; item: string } }
  | { "remove-rule": { id: string } };
