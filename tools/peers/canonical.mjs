// How Node reads each URI of the JSON list in a file: `[href, path]`, or null where it reads none.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (url) => {
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
};
const read = (uri) => {
  try {
    const url = new URL(uri);
    return [url.href, url.protocol === "file:" ? path(url) : null];
  } catch {
    return null;
  }
};
console.log(JSON.stringify(JSON.parse(readFileSync(process.argv[2], "utf8")).map(read)));
