// JSON that keeps what was typed: numbers keep their text, members keep their order, and a duplicate
// member name is an error. The reader of the Rust side has the same rules.

/** A number as it was written, such as `12345678901234567890` or `1.50`. */
export class ExactNumber {
  constructor(readonly text: string) {}
}

export type JsonObject = Map<string, Json>;
export type Json = null | boolean | string | ExactNumber | Json[] | JsonObject;

export class JsonError extends Error {
  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(`Line ${line}, column ${column}: ${message}`);
  }
}

const deepest = 128;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const blankPattern = /[ \t\n\r]*/y;

export function isNumberText(text: string): boolean {
  numberPattern.lastIndex = 0;
  return numberPattern.test(text) && numberPattern.lastIndex === text.length;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

export function parseJson(text: string): Json {
  return new Parser(text).document();
}

/** Writes a value in one line, or in lines with two blanks for each level. */
export function writeJson(value: Json, indent: "" | "  " = "", before = ""): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof ExactNumber) return value.text;
  const isList = Array.isArray(value);
  const inner = before + indent;
  const parts = isList
    ? value.map((item) => writeJson(item, indent, inner))
    : [...value].map(([name, member]) => `${JSON.stringify(name)}:${indent && " "}${writeJson(member, indent, inner)}`);
  const [open, close] = isList ? "[]" : "{}";
  if (!parts.length || !indent) return `${open}${parts.join(",")}${close}`;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${before}${close}`;
}

/** Equality as JSON Schema has it: `1.0` equals `1`, and the order of members does not matter. */
export function equal(one: Json | undefined, other: Json | undefined): boolean {
  if (one instanceof ExactNumber) return other instanceof ExactNumber && canonical(one.text) === canonical(other.text);
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, at) => equal(item, other[at]));
  if (isObject(one)) return isObject(other) && one.size === other.size && [...one].every(([name, member]) => other.has(name) && equal(member, other.get(name)));
  return one === other;
}

/** The digits and the exponent of a number, the same for every way to write it. */
function canonical(text: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? ["", "", text];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  if (!digits) return "0";
  const short = digits.replace(/0+$/, "");
  return `${sign}${short}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length)}`;
}

/** From plain values of JavaScript. */
export function fromPlain(value: unknown): Json {
  return parseJson(JSON.stringify(value) ?? "null");
}

/** To plain values of JavaScript, for reading only: large numbers are rounded. */
export function toPlain(value: Json): unknown {
  return JSON.parse(writeJson(value));
}

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value(0);
    this.match(blankPattern);
    if (this.at < this.text.length) this.fail("Something follows the value. Remove it.");
    return value;
  }

  private value(depth: number): Json {
    if (depth > deepest) this.fail(`The value is nested more than ${deepest} levels deep.`);
    this.match(blankPattern);
    const next = this.text[this.at];
    if (next === "{") return this.object(depth);
    if (next === "[") return this.list(depth);
    if (next === '"') return this.string();
    for (const [word, value] of [["true", true], ["false", false], ["null", null]] as const) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    const number = this.match(numberPattern);
    if (number === null) return this.fail(next === undefined ? "The JSON ends too early." : "A value is expected here.");
    return new ExactNumber(number);
  }

  private object(depth: number): JsonObject {
    const members: JsonObject = new Map();
    this.at += 1;
    if (this.skip("}")) return members;
    do {
      this.match(blankPattern);
      const start = this.at;
      if (this.text[this.at] !== '"') this.fail("A member name in double quotes is expected here.");
      const name = this.string();
      if (members.has(name)) {
        this.at = start;
        this.fail(`The member ${JSON.stringify(name)} occurs twice.`);
      }
      if (!this.skip(":")) this.fail("A colon is expected here.");
      members.set(name, this.value(depth + 1));
    } while (this.skip(","));
    if (!this.skip("}")) this.fail("A comma or } is expected here.");
    return members;
  }

  private list(depth: number): Json[] {
    const items: Json[] = [];
    this.at += 1;
    if (this.skip("]")) return items;
    do items.push(this.value(depth + 1));
    while (this.skip(","));
    if (!this.skip("]")) this.fail("A comma or ] is expected here.");
    return items;
  }

  private string(): string {
    const start = this.at;
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const char = this.text[this.at];
      if (char === "\\") this.at += 1;
      else if (char === '"') break;
    }
    this.at += 1;
    try {
      return JSON.parse(this.text.slice(start, this.at)) as string;
    } catch {
      this.at = start;
      return this.fail("This text does not end, or has an escape or a line break that JSON does not allow.");
    }
  }

  /** Skips blanks and then this character, if it is there. */
  private skip(char: string): boolean {
    this.match(blankPattern);
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return null;
    this.at += found[0].length;
    return found[0];
  }

  private fail(message: string): never {
    const before = this.text.slice(0, this.at).split("\n");
    throw new JsonError(message, before.length, before.at(-1)!.length + 1);
  }
}
