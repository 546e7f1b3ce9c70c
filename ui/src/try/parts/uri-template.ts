// URI templates (RFC 6570, all four levels): the variables for a form, and the expansion.

export interface Variable {
  name: string;
  isList: boolean;
}

interface Part {
  name: string;
  explode: boolean;
  prefix: number;
}

interface Operator {
  first: string;
  separator: string;
  named: boolean;
  ifEmpty: string;
  reserved: boolean;
}

const plain: Operator = { first: "", separator: ",", named: false, ifEmpty: "", reserved: false };
const operators: Record<string, Operator> = {
  "+": { ...plain, reserved: true },
  "#": { ...plain, first: "#", reserved: true },
  ".": { ...plain, first: ".", separator: "." },
  "/": { ...plain, first: "/", separator: "/" },
  ";": { ...plain, first: ";", separator: ";", named: true },
  "?": { ...plain, first: "?", separator: "&", named: true, ifEmpty: "=" },
  "&": { ...plain, first: "&", separator: "&", named: true, ifEmpty: "=" },
};

type Piece = string | { operator: Operator; parts: Part[] };

/** The variables in the order in which they occur, each once. */
export function templateVariables(template: string): Variable[] {
  const found = new Map<string, Variable>();
  for (const piece of pieces(template)) {
    if (typeof piece === "string") continue;
    for (const { name, explode } of piece.parts) found.set(name, { name, isList: explode || (found.get(name)?.isList ?? false) });
  }
  return [...found.values()];
}

/** Expands a template. A variable without a value, or with an empty list, is left out. */
export function expandTemplate(template: string, values: ReadonlyMap<string, string | string[]>): string {
  return pieces(template).map((piece) => (typeof piece === "string" ? encode(piece, true) : expression(piece.operator, piece.parts, values))).join("");
}

function pieces(template: string): Piece[] {
  return template.split(/(\{[^{}]*\})/).map((text) => {
    const inner = /^\{([+#./;?&]?)(.+)\}$/s.exec(text);
    if (!inner) return text;
    const parts = inner[2]!.split(",").map((one) => /^([\w.%]+)(\*|:(\d{1,4}))?$/u.exec(one.trim()));
    if (parts.some((part) => !part)) return text;
    return {
      operator: operators[inner[1]!] ?? plain,
      parts: parts.map((part) => ({ name: part![1]!, explode: part![2] === "*", prefix: part![3] ? Number(part![3]) : Infinity })),
    };
  });
}

function expression(operator: Operator, parts: Part[], values: ReadonlyMap<string, string | string[]>): string {
  const written = parts.flatMap(({ name, explode, prefix }) => {
    const value = values.get(name);
    if (value === undefined || (Array.isArray(value) && !value.length)) return [];
    const write = (text: string) => encode(text, operator.reserved);
    const withName = (text: string) => (operator.named ? `${name}${text ? `=${text}` : operator.ifEmpty}` : text);
    if (typeof value === "string") return [withName(write([...value].slice(0, prefix).join("")))];
    return explode ? value.map((item) => withName(write(item))) : [withName(value.map(write).join(","))];
  });
  return written.length ? operator.first + written.join(operator.separator) : "";
}

/** Percent-encodes everything but unreserved characters, or also leaves reserved ones and escapes. */
function encode(text: string, keepsReserved: boolean): string {
  const kept = keepsReserved ? /%[0-9a-f]{2}|[\w.~:/?#[\]@!$&'()*+,;=-]+/giy : /[\w.~-]+/giy;
  let out = "";
  for (let at = 0; at < text.length; ) {
    kept.lastIndex = at;
    const found = kept.exec(text)?.[0];
    const next = found ?? String.fromCodePoint(text.codePointAt(at)!);
    out += found ?? [...new TextEncoder().encode(next)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
    at += next.length;
  }
  return out;
}
