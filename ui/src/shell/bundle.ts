// The first bundle: the page itself, and what later bundles take from it.
import "../main";
export * from "./shared";
