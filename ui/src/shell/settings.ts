// What a person chose for this browser: colours, and whether single keys do something.

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export function theme(): Theme {
  return themes.find((one) => one === localStorage.getItem("overt-theme")) ?? "auto";
}

export function setTheme(value: Theme): void {
  localStorage.setItem("overt-theme", value);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
}

export function usesKeys(): boolean {
  return localStorage.getItem("overt-keys") !== "off";
}

export function setUsesKeys(on: boolean): void {
  localStorage.setItem("overt-keys", on ? "on" : "off");
}
