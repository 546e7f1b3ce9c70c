// The rows of a long list that are in the document. Rows that stay while the list scrolls are left alone; those that
// leave at one end are moved to the other and filled anew, so that the order in the document is that on the screen.
import { Directive, directive, type ChildPart } from "lit/directive.js";
import { insertPart, removePart, setChildPartValue } from "lit/directive-helpers.js";
import { noChange, type TemplateResult } from "lit";

export interface RowRange {
  first: number;
  /** One behind the last row. */
  end: number;
}

class RowWindow extends Directive {
  private first = 0;
  private parts: ChildPart[] = [];

  render(_range: RowRange, _row: (index: number) => TemplateResult, _isStale: boolean): unknown {
    return noChange;
  }

  /** `isStale` says that rows which stay look different too. */
  override update(container: ChildPart, [{ first, end }, row, isStale]: Parameters<this["render"]>): unknown {
    const isApart = first >= this.first + this.parts.length || end <= this.first;
    // If no row stays, each is filled anew where it is.
    if (isApart) this.first = first;
    const stayFrom = Math.max(first, this.first);
    const stayTo = Math.min(end, this.first + this.parts.length);
    const staying = this.parts.splice(stayFrom - this.first, Math.max(0, stayTo - stayFrom));
    const leaving = this.parts;
    const put = (index: number, before?: ChildPart): ChildPart => setChildPartValue(insertPart(container, before, leaving.pop()), row(index));
    if (isStale || isApart) staying.forEach((part, at) => setChildPartValue(part, row(stayFrom + at)));
    for (let index = stayFrom - 1; index >= first; index -= 1) staying.unshift(put(index, staying[0]));
    for (let index = first + staying.length; index < end; index += 1) staying.push(put(index));
    leaving.forEach(removePart);
    this.parts = staying;
    this.first = first;
    return noChange;
  }
}

export const rowWindow = directive(RowWindow);
