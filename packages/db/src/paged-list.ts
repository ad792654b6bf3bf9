import type { Sql } from "./sql.ts";

/** Approximate bytes of the rows of one page: what a list keeps in memory while its answer is sent. */
const pageBytes = 1_000_000;
/** Maximum number of rows of one page, which the driver reads at once. */
const pageRows = 200;

/** A row of a list, with its approximate size in bytes. */
export interface SizedRow {
  readonly id: number;
  readonly bytes: number;
}

/** Reads rows by id, in the order of `ids`; deleted rows are left out. */
type ReadRows<Item> = (sql: Sql, ids: readonly number[]) => Promise<Item[]>;

/** A list too large for one page: its first page, and the ids of the other pages. */
export class PagedList<Item> {
  /** How many rows the list had when it was read. */
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
   * Yields the items page by page, once. A page is read when the previous one has been consumed, so it shows changes
   * since the list was read.
   * @param sql runs single statements, so that a slow consumer does not keep a transaction open
   */
  async *pages(sql: Sql): AsyncGenerator<Item[], void, void> {
    if (this.#first) yield this.#first;
    this.#first = undefined;
    for (const ids of this.#rest) yield await this.#read(sql, ids);
  }
}

/**
 * Reads a list: all items if they fit into a page, else the first page.
 * @param sized all rows of the list, in order
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

/** Splits the ids into pages; a row larger than a page has its own. */
function cutIntoPages(sized: readonly SizedRow[]): number[][] {
  const pages: number[][] = [];
  let bytesLeft = 0;
  for (const { id, bytes } of sized) {
    const page = pages.at(-1);
    bytesLeft -= bytes;
    if (page && bytesLeft >= 0 && page.length < pageRows) page.push(id);
    else {
      pages.push([id]);
      bytesLeft = pageBytes - bytes;
    }
  }
  return pages;
}
