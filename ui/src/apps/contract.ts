// What the page is told about showing apps.

declare module "../contract" {
  interface Hello {
    /** The sandbox page, on another origin; null where apps can't be shown. */
    sandbox?: string | null;
  }
}

export {};
