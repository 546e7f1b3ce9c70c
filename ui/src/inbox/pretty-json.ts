// Breaks JSON into lines by adding white space only. The text is not parsed and written again:
// that would change numbers and hide duplicate names.

const longest = 200_000;

export function prettyJson(text: string): string {
  if (text.length > longest) return text;
  let out = "";
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (inString) {
      out += char;
      if (char === "\\") out += text[(at += 1)] ?? "";
      else if (char === '"') inString = false;
    } else if (char === '"') {
      inString = true;
      out += char;
    } else if (char === "{" || char === "[") {
      const close = char === "{" ? "}" : "]";
      const next = /^\s*(.)/s.exec(text.slice(at + 1, at + 50))?.[1];
      if (next === close) {
        out += char + close;
        at = text.indexOf(close, at);
      } else {
        depth += 1;
        out += char + line(depth);
      }
    } else if (char === "}" || char === "]") {
      depth -= 1;
      out += line(depth) + char;
    } else if (char === ",") {
      out += char + line(depth);
    } else if (char === ":") {
      out += ": ";
    } else if (!/\s/.test(char)) {
      out += char;
    }
  }
  return out;
}

function line(depth: number): string {
  return `\n${"  ".repeat(Math.max(0, Math.min(depth, 40)))}`;
}
