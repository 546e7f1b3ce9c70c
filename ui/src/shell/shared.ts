// What `overt.js` gives to bundles that are loaded later. They must not have a second copy of lit:
// the policy of trusted types allows it to be created once only.
export { html, nothing } from "lit";
export { live } from "lit/directives/live.js";
export { keyed } from "lit/directives/keyed.js";
export { createRef, ref } from "lit/directives/ref.js";
export { Api, ApiError, asApiError } from "../api";
export { diffSection } from "../diff/section";
export { PageElement } from "../element";
export { EventStream } from "../events";
export { LaterPart } from "../lazy";
export { safeLines, safeText } from "../safe-text";
export { SessionController } from "../session";
export { cutMiddle, formatClock, formatMicros, formatMoment, formatNumber, lastPart, plural, untrusted, verdictPill } from "../text";
export { takeToken } from "../token";
