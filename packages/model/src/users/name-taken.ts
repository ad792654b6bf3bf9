import { column, statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { lookAlike, skeletonOf } from "./look-alikes.ts";
import { nameKeySql } from "./name-key.ts";

const ofOthers = "FROM users WHERE realm_id = $1 AND id <> $2 AND (is_active OR NOT $3)";

const named = statement({
  name: "name-taken",
  text: `SELECT ${ofOthers} AND ${nameKeySql("full_name")} = ${nameKeySql("$4")} LIMIT 1`,
  row: {},
});

const spaced = String.raw`regexp_replace(full_name, '\s+', ' ', 'g')`;

/** PostgreSQL compares names in ASCII itself, so that only others are sent: most names of most organizations are in ASCII. */
const comparable = statement({
  name: "names-to-compare",
  text: `SELECT full_name AS name ${ofOthers} AND (
      octet_length(full_name) <> char_length(full_name)
      OR translate(${spaced}, 'I|', 'll') = $4
      OR lower(translate(${spaced}, '|', 'l') COLLATE "C") = $5
    )`,
  row: { name: column.text },
});

/** Which accounts a name must differ from. */
export interface Others {
  /** The account that is to have the name; 0 where it is new. */
  readonly exceptId: number;
  readonly onlyActive: boolean;
}

/**
 * How the name collides with one of the organization's other accounts: it is the `same` but for case, spaces and what
 * cannot be seen, or it is `alike`. Run it under the organization's lock (docs/decisions/047).
 */
export async function findCollision(
  tx: Tx,
  realmId: number,
  name: string,
  { exceptId, onlyActive }: Others,
): Promise<"same" | "alike" | undefined> {
  const skeleton = skeletonOf(name);
  const who = [realmId, exceptId, onlyActive] as const;
  const [same, others] = await Promise.all([
    tx.first(named, [...who, name]),
    tx.rows(comparable, [...who, skeleton.exact, skeleton.caseless]),
  ]);
  if (same) return "same";
  const alike = await inSlices(others, (other) => lookAlike(skeleton, skeletonOf(other.name)));
  return alike.includes(true) ? "alike" : undefined;
}
