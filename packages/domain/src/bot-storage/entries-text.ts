import type { StoredPart } from "./read-storage.ts";

/** Writes the JSON of an object of strings from the parts of its entries, as they come. */
export class EntriesText {
  #separator = "{";
  #open: "nothing" | "name" | "value" = "nothing";

  /** What some parts add to the text. */
  add(parts: readonly StoredPart[]): string {
    const texts: string[] = [];
    for (const { part, name, value } of parts) {
      if (part === 0) {
        texts.push(this.#closed(), this.#separator, '"');
        this.#separator = ",";
        this.#open = "name";
      }
      texts.push(inside(name));
      if (value !== "" && this.#open === "name") {
        texts.push('":"');
        this.#open = "value";
      }
      texts.push(inside(value));
    }
    return texts.join("");
  }

  /** What the text ends with. */
  end(): string {
    const closed = this.#closed();
    return `${closed}${this.#separator === "{" ? "{" : ""}}`;
  }

  #closed(): string {
    const closed = { nothing: "", name: '":""', value: '"' }[this.#open];
    this.#open = "nothing";
    return closed;
  }
}

/** What stands between the quotes. */
function inside(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
