// Loads the parts of the view beyond tools, once the view itself is there.

export class PartsLoader {
  state: "none" | "loading" | "ready" | "failed" = "none";
  problem = "";

  constructor(private readonly changed: () => void) {}

  async load(): Promise<void> {
    if (this.state === "loading" || this.state === "ready") return;
    this.state = "loading";
    try {
      // A variable, so that the file is not made part of this bundle.
      const file = "./try-parts.js";
      await import(file);
      this.state = "ready";
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.state = "failed";
    }
    this.changed();
  }
}
