// What a web page knows for the context of its apps: the 76 style variables of MCP Apps, if its style
// sheet sets them (`view.styles = readVariables`), and what the browser says (`view.context = browserContext()`).

const names = "--color-{background,text,border}-{primary,secondary,tertiary,inverse,ghost,info,danger,success,warning,disabled} " +
  "--color-ring-{primary,secondary,inverse,info,danger,success,warning} --font-{sans,mono} " +
  "--font-weight-{normal,medium,semibold,bold} --font-text-{xs,sm,md,lg}-{size,line-height} " +
  "--font-heading-{xs,sm,md,lg,xl,2xl,3xl}-{size,line-height} --border-radius-{xs,sm,md,lg,xl,full} " +
  "--border-width-regular --shadow-{hairline,sm,md,lg}";

function expand(pattern: string): string[] {
  const [whole, choices] = /\{(.*?)\}/.exec(pattern) ?? [];
  return whole && choices ? choices.split(",").flatMap((choice) => expand(pattern.replace(whole, choice))) : [pattern];
}

export const variableNames: readonly string[] = names.split(" ").flatMap(expand);

/** Those that the host's style sheet sets for the element. */
export function readVariables(element: Element): Record<string, string> {
  const style = getComputedStyle(element);
  const values = variableNames.map((name) => [name, style.getPropertyValue(name).trim()]);
  return Object.fromEntries(values.filter(([, value]) => value));
}

/** Language, time zone and kind of device. */
export function browserContext(): Record<string, unknown> {
  const has = (feature: string) => matchMedia(`(${feature})`).matches;
  return {
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: "web",
    deviceCapabilities: { touch: has("any-pointer:coarse"), hover: has("any-hover:hover") },
  };
}
