// A form and its JSON. The JSON text is the truth: it is what will be sent, and it is never rewritten
// while somebody types in it. An edit of the form writes it anew.
import { Draft, initialValue, newValue, readText, shownText, switched, toggled } from "./edits";
import { itemSchema, memberSchema } from "./fits";
import { FormReader, type Field } from "./fields";
import { isObject, JsonError, parseJson, writeJson, type Json } from "./json";
import { pointer, valueAt, withRenamed, withValue, type Path } from "./path";

interface Typed {
  text: string;
  problem: string | null;
  isRaw: boolean;
}

export class EditorState {
  readonly form: FormReader;
  private current: string;
  private parsed: Json | undefined;
  private failure: string | null = null;
  private readonly choices = new Map<string, number>();
  /** What stands in fields whose text is not exactly that of their value. */
  private readonly typed = new Map<string, Typed>();
  /** Values of alternatives that were left, so that going back loses nothing. */
  private readonly left = new Map<string, Json>();

  constructor(
    readonly schema: Json,
    text?: string,
  ) {
    this.form = new FormReader(schema);
    const initial = text === undefined ? initialValue(this.form, schema) : undefined;
    this.current = text ?? (initial === undefined ? "" : writeJson(initial, "  "));
    this.parse();
  }

  /** The JSON. An empty text stands for no value at all. */
  get text(): string {
    return this.current;
  }

  /** The last value that could be read. */
  get value(): Json | undefined {
    return this.parsed;
  }

  /** What is wrong with the JSON, or `null`. While it is wrong, the form can't be edited. */
  get jsonProblem(): string | null {
    return this.failure;
  }

  /** Fields with a text that is not a value. */
  get drafts(): { path: string; problem: string }[] {
    return [...this.typed].flatMap(([path, { problem }]) => (problem === null ? [] : [{ path, problem }]));
  }

  get isReady(): boolean {
    return this.failure === null && this.drafts.length === 0;
  }

  get field(): Field {
    return this.form.read(this.parsed, this.choices);
  }

  /** Takes over a JSON text that was typed. */
  setText(text: string): void {
    this.current = text;
    this.choices.clear();
    this.typed.clear();
    this.parse();
  }

  /** What a field shows: the text that was typed there, or that of its value. */
  shown(field: Field): { text: string; problem: string | null; isRaw: boolean } {
    return this.typed.get(pointer(field.path)) ?? { text: shownText(field), problem: null, isRaw: field.control.kind === "raw" };
  }

  /** Takes over a text that was typed into a field. */
  type(field: Field, text: string): void {
    const isRaw = this.shown(field).isRaw;
    const read = readText(isRaw ? { ...field, control: { kind: "raw", why: "" } } : field, text);
    const isDraft = read instanceof Draft;
    if (!isDraft) this.write(withValue(this.parsed, field.path, read));
    this.typed.set(pointer(field.path), { text, isRaw, problem: isDraft ? read.problem : null });
  }

  /** A field was left: texts that are values need not be remembered any more. */
  leave(): void {
    for (const [path, { problem }] of this.typed) if (problem === null) this.typed.delete(path);
  }

  set(path: Path, value: Json | undefined): void {
    this.forget(path.slice(0, typeof path.at(-1) === "number" ? -1 : undefined));
    this.write(withValue(this.parsed, path, value));
  }

  /** Gives an absent or null field a value. */
  add(field: Field): void {
    this.set(field.path, newValue(this.form, field.source));
  }

  toggle(field: Field, option: Json): void {
    this.set(field.path, toggled(field.value, option));
  }

  addItem(field: Field): void {
    const items = Array.isArray(field.value) ? field.value : [];
    this.set(field.path, [...items, newValue(this.form, itemSchema(field.schema, items.length))]);
  }

  moveUp(field: Field, at: number): void {
    const items = Array.isArray(field.value) ? [...field.value] : [];
    if (at < 1 || at >= items.length) return;
    items.splice(at - 1, 2, items[at]!, items[at - 1]!);
    this.set(field.path, items);
  }

  /** Adds a member, and says what is wrong if it can't. */
  addMember(field: Field, name: string): string | null {
    if (isObject(field.value) && field.value.has(name)) return `There is already a member ${JSON.stringify(name)}.`;
    this.set([...field.path, name], newValue(this.form, memberSchema(field.schema, name)));
    return null;
  }

  rename(field: Field, name: string): string | null {
    const parent = field.path.slice(0, -1);
    const members = valueAt(this.parsed, parent);
    if (name === field.name) return null;
    if (isObject(members) && members.has(name)) return `There is already a member ${JSON.stringify(name)}.`;
    this.forget(parent);
    this.write(withRenamed(this.parsed, parent, field.name, name));
    return null;
  }

  choose(field: Field, variant: number): void {
    const path = pointer(field.path);
    if (field.value !== undefined) this.left.set(`${path} ${field.variant}`, field.value);
    const value = this.left.get(`${path} ${variant}`) ?? switched(this.form, field.source, variant, field.value);
    for (const known of this.choices.keys()) if (known.startsWith(`${path}/`)) this.choices.delete(known);
    this.set(field.path, value);
    this.choices.set(path, variant);
  }

  private forget(path: Path): void {
    const start = pointer(path);
    for (const known of this.typed.keys()) if (known === start || known.startsWith(`${start}/`)) this.typed.delete(known);
  }

  private write(value: Json | undefined): void {
    this.parsed = value;
    this.current = value === undefined ? "" : writeJson(value, "  ");
    this.failure = null;
  }

  private parse(): void {
    this.failure = null;
    try {
      this.parsed = this.current.trim() ? parseJson(this.current) : undefined;
    } catch (error) {
      this.failure = error instanceof JsonError ? error.message : String(error);
    }
  }
}
