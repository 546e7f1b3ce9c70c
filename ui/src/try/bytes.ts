// Binary content in base64: its size, playing it, saving it.

/** Bytes of a base64 text, without decoding it. */
export function sizeOf(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** The bytes, or `null` if the text is not base64. */
export function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Lets the browser save content as a file. The name is only a suggestion. */
export function save(content: BlobPart, type: string, name: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replace(/[^\w.-]+/g, "_").slice(-80) || "content";
  link.click();
  URL.revokeObjectURL(address);
}

/** A media type that an image element may show. */
export function isImage(type: string): boolean {
  return /^image\/[a-z0-9.+-]+$/i.test(type);
}
