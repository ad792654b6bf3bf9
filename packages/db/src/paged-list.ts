import type { Sql } from "./sql.ts";

/** Bytes of the rows of one page: what a list keeps in memory while its answer goes out. */
const pageBytes = 1_000_000;
/** Rows of one page, which the driver reads in one go. */
const pageRows = 200;

/** A row of a list, and about how many bytes it takes. */
export interface SizedRow {
  readonly id: number;
  readonly bytes: number;
}

/** Reads rows by id, in the order of `ids`; those that are gone are left out. */
type ReadRows<Item> = (sql: Sql, ids: readonly number[]) => Promise<Item[]>;

/** A list that has too many bytes for one page: its first page, and the ids of the others. */
export class PagedList<Item> {
  /** Rows that the list had when it was begun. */
  readonly length: number;
  #first: Item[] | undefined;
  readonly #rest: ReadonlyArray<readonly number[]>;
  readonly #read: ReadRows<Item>;

  constructor(
    length: number,
    first: Item[],
    rest: ReadonlyArray<readonly number[]>,
    read: ReadRows<Item>,
  ) {
    this.length = length;
    this.#first = first;
    this.#rest = rest;
    this.#read = read;
  }

  /**
   * The items page by page, once; each page is read when the one before has been taken, and as it is then.
   * @param sql runs single statements, so that no transaction waits for whoever takes the pages
   */
  async *pages(sql: Sql): AsyncGenerator<Item[], void, void> {
    if (this.#first) yield this.#first;
    this.#first = undefined;
    for (const ids of this.#rest) yield await this.#read(sql, ids);
  }
}

/**
 * Reads a list: all of it where it fits into a page, else its first page.
 * @param sized all rows of the list, in its order
 */
export async function readList<Item>(
  sql: Sql,
  sized: readonly SizedRow[],
  read: ReadRows<Item>,
): Promise<Item[] | PagedList<Item>> {
  const [first = [], ...rest] = cutIntoPages(sized);
  const items = first.length === 0 ? [] : await read(sql, first);
  return rest.length === 0 ? items : new PagedList(sized.length, items, rest, read);
}

/** The ids page by page; a row that is larger than a page has one to itself. */
function cutIntoPages(sized: readonly SizedRow[]): number[][] {
  const pages: number[][] = [];
  let room = 0;
  for (const { id, bytes } of sized) {
    const page = pages.at(-1);
    room -= bytes;
    if (page && room >= 0 && page.length < pageRows) page.push(id);
    else {
      pages.push([id]);
      room = pageBytes - bytes;
    }
  }
  return pages;
}
