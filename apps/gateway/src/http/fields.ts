import { errors } from "@carillon/contract";

/** More than any client needs; http-contract.md §4. */
const maxFields = 1_000;

/** The request's parameters: names to texts. Body wins over query, the last of one source wins. */
export class Fields {
  readonly texts = new Map<string, string>();
  /** Names of file parts, for operations that take none. */
  readonly files = new Set<string>();
  #count = 0;

  /**
   * Adds what a query string or a form body holds: `+` is a space, escapes are decoded once, invalid ones
   * are kept, invalid UTF-8 is replaced, empty names are dropped.
   * @throws ApiError `BAD_REQUEST` over 1,000 fields, before they are parsed
   */
  addForm(text: string): void {
    if (text === "") return;
    this.#admit(countFields(text));
    for (const [name, value] of new URLSearchParams(text)) {
      if (name !== "") this.texts.set(name, value);
    }
  }

  /** Makes room for one more part of a multipart body. */
  admitPart(): void {
    this.#admit(1);
  }

  #admit(count: number): void {
    this.#count += count;
    if (this.#count > maxFields) {
      throw errors.badRequest(`A request must not have more than ${maxFields} parameters`);
    }
  }
}

/** Parts between ampersands; stops counting once there are too many. */
function countFields(text: string): number {
  let count = 1;
  for (let at = text.indexOf("&"); at >= 0 && count <= maxFields; at = text.indexOf("&", at + 1))
    count++;
  return count;
}
