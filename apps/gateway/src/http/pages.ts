import { PagedList, type Sql } from "@carillon/db";

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

/** A list as it goes out: as it is, or page by page where it is large. */
export function inPages<Item>(list: Item[] | PagedList<Item>, sql: Sql): Item[] | Pages<Item> {
  return list instanceof PagedList ? new Pages(() => list.pages(sql)) : list;
}

/** An object of an answer whose JSON comes in pieces, for one that is too large to be made first. */
export class JsonText {
  readonly #read: () => AsyncIterable<string> | Iterable<string>;

  /** @param read called when it is the object's turn; where it fails the answer ends with its connection */
  constructor(read: () => AsyncIterable<string> | Iterable<string>) {
    this.#read = read;
  }

  read(): AsyncIterable<string> | Iterable<string> {
    return this.#read();
  }
}

/** An answer some of whose lists may be read in pages, and some of whose objects in pieces. */
export type Paged<Answer> = {
  [Name in keyof Answer]:
    | Answer[Name]
    | (Answer[Name] extends ReadonlyArray<infer Item>
        ? Pages<Item>
        : Answer[Name] extends Readonly<Record<string, unknown>>
          ? JsonText
          : never);
};

/** Whether a part of the answer is read while it goes out. */
export function isPaged(answer: object): boolean {
  return Object.values(answer).some((value) => value instanceof Pages || value instanceof JsonText);
}
