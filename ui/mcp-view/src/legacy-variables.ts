// The style variables that pages had before MCP Apps, `--mcp-*`, as far as standard ones stand for them.

/** A standard variable, then the older ones that have its value. `~` stands for `color-`, `?` for each of `sizes`. */
const same = "~background-primary ~bg surface ~primary-fg ~accent-fg ~success-fg ~warning-fg ~danger-fg;~background-secondary ~muted ~secondary surface-alt;" +
  "~text-primary ~fg ~secondary-fg syntax-variable syntax-operator;~text-secondary ~muted-fg syntax-comment syntax-punctuation;" +
  "~border-primary ~border-strong;~border-secondary ~border;~text-info ~primary ~accent syntax-keyword syntax-entity;~text-success ~success syntax-string;" +
  "~text-warning ~warning syntax-number syntax-constant;~text-danger ~danger syntax-tag;~ring-primary ring-color;" +
  "font-sans font-sans;font-mono font-mono;font-weight-normal weight-regular;border-radius-full radius-round;shadow-hairline shadow-xs;" +
  "font-weight-? weight-?;font-text-?-size text-?;border-radius-? radius-?;shadow-? shadow-?";
/** Of two letters, the older names have only the first, but for `xs` and `xl`. */
const sizes = "xs sm md lg xl medium bold".split(" ");

/** The standard variables, with the older ones beside them. */
export function olderVariables(standard: Record<string, string>): Record<string, string> {
  const all = { ...standard };
  for (const line of same.replaceAll("~", "color-").split(";")) {
    const [name = "", ...older] = line.split(" ");
    for (const size of sizes) {
      const value = standard[`--${name.replace("?", size)}`];
      if (value) for (const one of older) all[`--mcp-${one.replace("?", size.replace(/^([sml]).$/, "$1"))}`] = value;
    }
  }
  return all;
}
