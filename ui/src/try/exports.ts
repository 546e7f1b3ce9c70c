// What `try.js` gives to `try-parts.js`, which is loaded after it.
export { decode, save, sizeOf } from "./bytes";
export { contentList, jsonBlock, textBlock } from "./content";
export { Debounce } from "./debounce";
export { numberFrom } from "./messages";
export { outcome, outcomePill } from "./outcome";
export { isPreview } from "./record";
export { EditorState } from "./schema/editor-state";
export { equal, fromPlain, isObject, parseJson, toPlain, writeJson } from "./schema/json";
export { list } from "./schema/resolve";
export { member, text, titleOf } from "./tool-facts";
