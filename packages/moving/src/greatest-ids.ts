import type pg from "pg";

import { ask } from "./connect.ts";
import { movedTables } from "./tables.ts";

/*
 * An organization that moves to another cell keeps its address. Its clients use ids of the old cell until they have registered
 * again. If another channel or person had such an id in the new cell, a message could go there. So an import gives ids that
 * are greater than all that the old cell has given, and the old ids are unknown.
 */

/** Tables whose rows get new ids, except `clients`: these belong to the installation, and the API does not show their ids. */
const tables = Object.entries(movedTables)
  .filter(([name, { columns }]) => columns["id"]?.kind === "id" && name !== "clients")
  .map(([name]) => name);

/** Greatest ids that move a sequence forward, so that a faulty export cannot use it up. Greater ids are ignored. */
const bounds = { integer: 2 ** 30, bigint: 2 ** 50 } as const;

interface Sequence {
  readonly name: string;
  readonly type: keyof typeof bounds;
  /** The last id that it has given, 0 if none. */
  readonly last: number;
}

/** Returns the sequence of a table's ids. */
async function sequenceOf(client: pg.Client, table: string): Promise<Sequence | undefined> {
  const [found] = await ask<Omit<Sequence, "last"> & { last: string }>(
    client,
    `SELECT s.seqrelid::regclass::text AS name, s.seqtypid::regtype::text AS type,
       coalesce(pg_sequence_last_value(s.seqrelid), 0)::text AS last
     FROM pg_sequence s WHERE s.seqrelid = pg_get_serial_sequence($1, 'id')::regclass`,
    [table],
  );
  return found && { ...found, last: Number(found.last) };
}

/** Returns the greatest id that each table of the installation has had, deleted rows included. */
export async function readGreatestIds(client: pg.Client): Promise<Record<string, number>> {
  const greatest: Record<string, number> = {};
  for (const table of tables) {
    const sequence = await sequenceOf(client, table);
    if (sequence) greatest[table] = sequence.last;
  }
  return greatest;
}

/**
 * Minimum number of missing ids for `setval`. Fewer are taken by `nextval`: other sessions could take as many before `setval`,
 * which would then move the sequence back.
 */
const setFrom = 10_000;

/** Advances the sequences to the greatest ids of an export; never moves one back. */
export async function advanceSequences(
  client: pg.Client,
  greatest: Readonly<Record<string, number>>,
): Promise<void> {
  for (const table of tables) {
    const id = greatest[table];
    const sequence = id === undefined ? undefined : await sequenceOf(client, table);
    if (id === undefined || !sequence || id > bounds[sequence.type]) continue;
    const missing = id - sequence.last;
    if (missing >= setFrom)
      await ask(
        client,
        "SELECT setval($1::regclass, $2) WHERE coalesce(pg_sequence_last_value($1::regclass), 0) < $2",
        [sequence.name, id],
      );
    else if (missing > 0)
      await ask(client, "SELECT nextval($1::regclass) FROM generate_series(1, $2::int)", [
        sequence.name,
        missing,
      ]);
  }
}
