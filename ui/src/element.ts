// The base of all elements of the page: they render into the document itself, so that one style
// sheet and the labels of the document reach everything.
import { LitElement } from "lit";

export abstract class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
