import { PagedList, type Sql } from "@carillon/db";

/** A list of an answer that is read page by page while the answer is sent, so that it is never in memory as a whole. */
export class Pages<Item> {
  readonly #read: () => AsyncIterable<readonly Item[]>;

  /** @param read called when the list is the next part of the answer to send; if it fails, the connection ends */
  constructor(read: () => AsyncIterable<readonly Item[]>) {
    this.#read = read;
  }

  read(): AsyncIterable<readonly Item[]> {
    return this.#read();
  }
}

/** Returns a list unchanged, or as pages if it is large. */
export function inPages<Item>(list: Item[] | PagedList<Item>, sql: Sql): Item[] | Pages<Item> {
  return list instanceof PagedList ? new Pages(() => list.pages(sql)) : list;
}

/** An object of an answer that is written in pieces, because it is too large for memory. */
export class JsonText {
  readonly #read: () => AsyncIterable<Buffer> | Iterable<Buffer>;

  /** @param read called when the object is the next part of the answer to send; if it fails, the connection ends */
  constructor(read: () => AsyncIterable<Buffer> | Iterable<Buffer>) {
    this.#read = read;
  }

  read(): AsyncIterable<Buffer> | Iterable<Buffer> {
    return this.#read();
  }
}

/** An answer whose lists may be pages, and whose objects may be pieces of JSON. */
export type Paged<Answer> = {
  [Name in keyof Answer]:
    | Answer[Name]
    | (Answer[Name] extends ReadonlyArray<infer Item>
        ? Pages<Item>
        : Answer[Name] extends Readonly<Record<string, unknown>>
          ? JsonText
          : never);
};

/** Whether a part of the answer is read while it is sent. */
export function isPaged(answer: object): boolean {
  return Object.values(answer).some((value) => value instanceof Pages || value instanceof JsonText);
}
