// The bundle of Try: the view with its tools, and what the other parts take from it.
import "./view";
export * from "./exports";
