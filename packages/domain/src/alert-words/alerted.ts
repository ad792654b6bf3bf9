import { column, statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { keptAlertWords } from "./kept-words.ts";

const activeOf = statement({
  name: "alert-words-active",
  text: "SELECT id FROM users WHERE id = ANY($1::int[]) AND is_active",
  row: { id: column.int },
});

/**
 * Whom the raw contents alert, one by one; deactivated accounts are left out (messages.md §3). One statement, and one
 * more where somebody is alerted.
 */
export async function loadAlerted(
  tx: Tx,
  realmId: number,
  contents: readonly string[],
): Promise<ReadonlyArray<ReadonlySet<number>>> {
  const words = await keptAlertWords(tx, realmId);
  const owners = await inSlices(contents, (content) => words.ownersIn(content));
  const all = new Set(owners.flatMap((some) => [...some]));
  if (all.size === 0) return owners;
  const active = new Set((await tx.rows(activeOf, [[...all]])).map(({ id }) => id));
  return owners.map((some) => new Set([...some].filter((id) => active.has(id))));
}
