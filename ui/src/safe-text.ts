// Other people's text, made safe to show. The list of characters is that of `wire::text` in Rust.

const deceptive =
  "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
  "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb" +
  "\\ud800-\\udfff\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
const anywhere = new RegExp(`[${deceptive}]`, "gu");
const exceptLayout = new RegExp(`(?![\\n\\t])[${deceptive}]`, "gu");

function escape(found: string): string {
  return `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * Shows control, bidirectional and invisible characters as `\u{…}`, so that they can't change how the
 * text around them looks. Line breaks are escaped too: one string stays one line.
 */
export function safeText(text: string): string {
  return text.replace(anywhere, escape);
}

/** The same for text of several lines: line breaks and tabs stay. */
export function safeLines(text: string): string {
  return text.replace(exceptLayout, escape);
}

/** How many columns of a monospaced font a character of a line takes at most. */
export function columnsOf(unit: number): number {
  if (unit >= 0x20 && unit < 0x7f) return 1;
  if (unit === 0x09) return 4;
  if (unit < 0xa0 || unit === 0xad) return 6;
  if (unit < 0x300) return 1;
  return unit < 0x1100 && unit !== 0x34f && unit !== 0x61c ? 1 : unit < 0x2000 || isEscaped(unit) ? 8 : 2;
}

function isEscaped(unit: number): boolean {
  return (
    (unit >= 0x200b && unit <= 0x200f) ||
    (unit >= 0x2028 && unit <= 0x202e) ||
    (unit >= 0x2060 && unit <= 0x206f) ||
    unit === 0x3164 ||
    (unit >= 0xd800 && unit <= 0xdfff) ||
    unit >= 0xfe00
  );
}
