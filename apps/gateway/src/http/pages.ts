/** A list of an answer that is read page by page while the answer goes out, so that it never lies in memory as a whole. */
export class Pages<Item> {
  readonly #read: () => AsyncIterable<readonly Item[]>;

  /** @param read called when it is the list's turn; where it fails the answer ends with its connection */
  constructor(read: () => AsyncIterable<readonly Item[]>) {
    this.#read = read;
  }

  read(): AsyncIterable<readonly Item[]> {
    return this.#read();
  }
}

/** An answer some of whose lists may be read in pages. */
export type Paged<Answer> = {
  [Name in keyof Answer]:
    | Answer[Name]
    | (Answer[Name] extends ReadonlyArray<infer Item> ? Pages<Item> : never);
};

/** Whether a list of the answer is read in pages. */
export function isPaged(answer: object): boolean {
  return Object.values(answer).some((value) => value instanceof Pages);
}
