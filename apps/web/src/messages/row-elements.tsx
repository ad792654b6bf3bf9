import type { VNode } from "preact";
import { MessageRow } from "./message-row.tsx";

/** Elements that are kept: more than a viewport with its buffer has. */
const most = 300;

/**
 * The elements of the rows of a list. The list asks for those of all visible rows with each frame that is scrolled; Preact
 * leaves a row alone whose element is the same as before.
 */
export class RowElements {
  readonly #byId = new Map<number, { previousId: number | undefined; element: VNode }>();

  of(id: number, previousId: number | undefined): VNode {
    const known = this.#byId.get(id);
    if (known && known.previousId === previousId) return known.element;
    if (this.#byId.size >= most) this.#byId.clear();
    const element = <MessageRow key={id} id={id} previousId={previousId} />;
    this.#byId.set(id, { previousId, element });
    return element;
  }
}
