import type pg from "pg";

import { ask } from "./connect.ts";
import type { NewIds } from "./map-text.ts";

/** A fault of a record. */
export class RecordProblem extends Error {}

/** What records refer to, collected before it is looked up. */
export class WantedIds implements NewIds {
  readonly sourceUrl: string | undefined;
  readonly newUrl: string;
  readonly realm: NewIds["realm"];
  readonly kinds = new Map<string, Set<number>>();
  readonly gone = new Map<string, Set<number>>();
  readonly bounds = new Map<string, Set<number>>();
  readonly paths = new Set<string>();

  constructor({ sourceUrl, newUrl, realm }: Pick<NewIds, "sourceUrl" | "newUrl" | "realm">) {
    this.sourceUrl = sourceUrl;
    this.newUrl = newUrl;
    this.realm = realm;
  }

  of(kind: string, old: number): number {
    add(this.kinds, kind, old);
    return 1;
  }

  ofGone(kind: string, old: number): number {
    add(this.gone, kind, old);
    return this.of(kind, old);
  }

  upTo(kind: string, old: number): number {
    add(this.bounds, kind, old);
    return 1;
  }

  path(old: string): string {
    this.paths.add(old);
    return old;
  }
}

function add(sets: Map<string, Set<number>>, kind: string, old: number): void {
  const set = sets.get(kind);
  if (set) set.add(old);
  else sets.set(kind, new Set([old]));
}

/** At this many kept ids, they are forgotten and looked up again. */
const maxKept = 500_000;

/** The new ids of an import, as far as they were looked up. */
export class FoundIds implements NewIds {
  readonly sourceUrl: string | undefined;
  readonly newUrl: string;
  readonly realm: NewIds["realm"];
  readonly #client: pg.Client;
  readonly #importId: number;
  readonly #ids = new Map<string, Map<number, number>>();
  readonly #bounds = new Map<string, number | undefined>();
  readonly #paths = new Map<string, string>();
  #kept = 0;

  constructor(
    client: pg.Client,
    importId: number,
    { sourceUrl, newUrl, realm }: Pick<NewIds, "sourceUrl" | "newUrl" | "realm">,
  ) {
    this.#client = client;
    this.#importId = importId;
    this.sourceUrl = sourceUrl;
    this.newUrl = newUrl;
    this.realm = realm;
  }

  of(kind: string, old: number): number | undefined {
    return this.#ids.get(kind)?.get(old);
  }

  ofGone(kind: string, old: number): number | undefined {
    return this.of(kind, old);
  }

  upTo(kind: string, old: number): number | undefined {
    return this.#bounds.get(`${kind} ${old}`);
  }

  path(old: string): string | undefined {
    return this.#paths.get(old);
  }

  /** Adds ids that were just given. */
  put(kind: string, old: number, id: number): void {
    const ids = this.#ids.get(kind) ?? new Map<number, number>();
    ids.set(old, id);
    this.#ids.set(kind, ids);
    this.#kept++;
  }

  /** Looks up what is wanted. In the transaction of the records, because it gives ids to deleted records. */
  async load(wanted: WantedIds): Promise<void> {
    for (const [kind, olds] of wanted.kinds) {
      const missing = [...olds].filter((old) => this.of(kind, old) === undefined);
      await this.#find(kind, missing);
    }
    for (const [kind, olds] of wanted.gone) {
      const missing = [...olds].filter((old) => this.of(kind, old) === undefined);
      await giveIds(this.#client, this.#importId, kind, missing);
      await this.#find(kind, missing);
    }
    this.#bounds.clear();
    for (const [kind, olds] of wanted.bounds)
      for (const old of olds) {
        const [row] = await ask<{ id: string | null }>(
          this.#client,
          `SELECT new_id AS id FROM import_ids WHERE import_id = $1 AND kind = $2 AND old_id <= $3
           ORDER BY old_id DESC LIMIT 1`,
          [this.#importId, kind, old],
        );
        this.#bounds.set(`${kind} ${old}`, row?.id === undefined ? undefined : Number(row.id));
      }
    this.#paths.clear();
    if (wanted.paths.size > 0) {
      const rows = await ask<{ old: string; path: string }>(
        this.#client,
        `SELECT old_path AS old, new_path AS path FROM import_paths WHERE import_id = $1 AND old_path = ANY($2::text[])`,
        // A path may also be the folder of a thumbnail.
        [
          this.#importId,
          [...wanted.paths].flatMap((path) => [
            path,
            path.slice(0, Math.max(0, path.lastIndexOf("/"))),
          ]),
        ],
      );
      for (const { old, path } of rows) this.#paths.set(old, path);
    }
  }

  /** Removes the ids of records that are left out, so that references to them are references to unknown records. */
  async remove(kind: string, olds: readonly number[]): Promise<void> {
    if (olds.length === 0) return;
    await ask(
      this.#client,
      "DELETE FROM import_ids WHERE import_id = $1 AND kind = $2 AND old_id = ANY($3::bigint[])",
      [this.#importId, kind, olds],
    );
    for (const old of olds) this.#ids.get(kind)?.delete(old);
  }

  /**
   * Forgets all ids if they are many. Called between two slices: one slice looks ids up several times, and needs those of
   * its first look-up until its end.
   */
  forgetIfMany(): void {
    if (this.#kept <= maxKept) return;
    this.#ids.clear();
    this.#kept = 0;
  }

  async #find(kind: string, olds: readonly number[]): Promise<void> {
    if (olds.length === 0) return;
    const rows = await ask<{ old: string; id: string }>(
      this.#client,
      `SELECT old_id AS old, new_id AS id FROM import_ids WHERE import_id = $1 AND kind = $2 AND old_id = ANY($3::bigint[])`,
      [this.#importId, kind, olds],
    );
    for (const { old, id } of rows) this.put(kind, Number(old), Number(id));
  }
}

/**
 * Gives records new ids, in the order of the old ones.
 * @throws RecordProblem for an id that has been given before
 */
export async function giveIds(
  client: pg.Client,
  importId: number,
  kind: string,
  olds: readonly number[],
): Promise<void> {
  if (olds.length === 0) return;
  const rows = await ask(
    client,
    `INSERT INTO import_ids (import_id, kind, old_id, new_id)
     SELECT $1, $2::text, old, nextval(pg_get_serial_sequence($2::text, 'id'))
     FROM (SELECT unnest($3::bigint[]) AS old ORDER BY 1) sorted
     ON CONFLICT DO NOTHING RETURNING old_id`,
    [importId, kind, olds],
  );
  if (rows.length < olds.length) throw new RecordProblem("has an id that another record has");
}
