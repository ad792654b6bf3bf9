import { once } from "node:events";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { type CopyStreamQuery, from as copyFrom } from "pg-copy-streams";

/** Sends the rows of one table to the database. Both methods throw the server's error. */
export class CopiedRows {
  readonly #stream: CopyStreamQuery;
  readonly #over: Promise<void>;

  /**
   * Starts the COPY.
   * @param statement `COPY … FROM STDIN`
   */
  constructor(client: pg.Client, statement: string) {
    this.#stream = client.query(copyFrom(statement));
    this.#over = finished(this.#stream);
    this.#over.catch(() => {});
  }

  /** Resolves when the stream can take more rows. */
  async write(rows: Buffer): Promise<void> {
    if (this.#stream.errored) await this.#over;
    if (!this.#stream.write(rows)) await Promise.race([once(this.#stream, "drain"), this.#over]);
  }

  /**
   * Ends the COPY.
   * @returns how many rows were copied
   */
  async end(): Promise<number> {
    this.#stream.end();
    await this.#over;
    return this.#stream.rowCount;
  }
}
