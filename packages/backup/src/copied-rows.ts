import { once } from "node:events";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { type CopyStreamQuery, from as copyFrom } from "pg-copy-streams";

/** The rows of one table on their way into the database. What the server refuses is thrown by either function. */
export class CopiedRows {
  readonly #stream: CopyStreamQuery;
  readonly #over: Promise<void>;

  /** @param statement `COPY … FROM STDIN` */
  constructor(client: pg.Client, statement: string) {
    this.#stream = client.query(copyFrom(statement));
    this.#over = finished(this.#stream);
    this.#over.catch(() => {});
  }

  /** Resolves when there is room for more. */
  async write(rows: Buffer): Promise<void> {
    if (this.#stream.errored) await this.#over;
    if (!this.#stream.write(rows)) await Promise.race([once(this.#stream, "drain"), this.#over]);
  }

  /** @returns how many rows there were */
  async end(): Promise<number> {
    this.#stream.end();
    await this.#over;
    return this.#stream.rowCount;
  }
}
