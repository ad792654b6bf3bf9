import { signal } from "@preact/signals";

/**
 * A map whose changes redraw the views that have read it. It is changed in place, since copying thousands of entries
 * for each event would cost more than drawing a few rows again.
 */
export class Keyed<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #version = signal(0);

  get(key: Key): Value | undefined {
    void this.#version.value;
    return this.#values.get(key);
  }

  all(): Value[] {
    void this.#version.value;
    return [...this.#values.values()];
  }

  get size(): number {
    void this.#version.value;
    return this.#values.size;
  }

  set(key: Key, value: Value): void {
    this.#values.set(key, value);
    this.#version.value++;
  }

  delete(key: Key): void {
    if (this.#values.delete(key)) this.#version.value++;
  }

  /** Changes some fields of a value, if it exists. */
  patch(key: Key, changes: Partial<Value>): void {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, { ...value, ...changes });
  }

  replace(entries: Iterable<readonly [Key, Value]>): void {
    this.#values.clear();
    for (const [key, value] of entries) this.#values.set(key, value);
    this.#version.value++;
  }
}
