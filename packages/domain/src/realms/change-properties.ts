import { errors } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

import type { ChangedSetting } from "./changed-setting.ts";
import { checkOrganizationName } from "./organization-name.ts";

/** Plain settings of an organization, by their names on the wire, which are those of the columns. */
export interface RealmProperties {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Days. */
  readonly waiting_period_threshold?: number | undefined;
  readonly require_unique_names?: boolean | undefined;
  readonly name_changes_disabled?: boolean | undefined;
  readonly email_changes_disabled?: boolean | undefined;
}

const names = [
  "name",
  "description",
  "waiting_period_threshold",
  "require_unique_names",
  "name_changes_disabled",
  "email_changes_disabled",
] as const satisfies ReadonlyArray<keyof RealmProperties>;

const current = statement({
  name: "realm-properties",
  text: `SELECT ${names.join(", ")} FROM realms WHERE id = $1`,
  row: {
    name: column.text,
    description: column.text,
    waiting_period_threshold: column.int,
    require_unique_names: column.bool,
    name_changes_disabled: column.bool,
    email_changes_disabled: column.bool,
  } satisfies Record<(typeof names)[number], unknown>,
});

/** What is null stays as it is. */
const store = statement({
  name: "realm-properties-store",
  text: `UPDATE realms SET ${names.map((name, i) => `${name} = coalesce($${i + 2}, ${name})`).join(", ")}
    WHERE id = $1`,
  row: {},
});

/** What the column holds, in code points. */
const maxDescription = 1_000;

/**
 * Stores those that are not what they are already. The organization's row must be locked.
 * @throws ApiError `BAD_REQUEST`
 */
export async function changeRealmProperties(
  tx: Tx,
  realmId: number,
  wanted: RealmProperties,
): Promise<ChangedSetting[]> {
  const checked = check(wanted);
  if (names.every((name) => checked[name] === undefined)) return [];
  const stored = await tx.first(current, [realmId]);
  const changed = names.flatMap((name) => {
    const [value, before] = [checked[name], stored?.[name]];
    return value === undefined || value === before ? [] : [{ name, before, value }];
  });
  if (changed.length > 0) {
    const values = new Map(changed.map(({ name, value }) => [name, value]));
    await tx.rows(store, [realmId, ...names.map((name) => values.get(name) ?? null)]);
  }
  return changed;
}

function check(wanted: RealmProperties): RealmProperties {
  const name = wanted.name === undefined ? undefined : checkOrganizationName(wanted.name);
  const description = wanted.description?.trim();
  if (isLongerThan(description ?? "", maxDescription))
    throw errors.badRequest(`description must not have more than ${maxDescription} characters`);
  return { ...wanted, name, description };
}
