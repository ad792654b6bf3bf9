import type { VNode } from "preact";
import { MessageRow } from "./message-row.tsx";

/** Maximum elements that are kept: more than the viewport and its buffer show. */
const most = 300;

/**
 * Caches the elements of a list's rows. The list asks for the elements of all visible rows in each frame of a scroll. Preact
 * does not draw a row again if its element is the same object as before.
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
