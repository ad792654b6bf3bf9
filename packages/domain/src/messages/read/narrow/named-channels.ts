import { SqlValues, type Reader, channelReadable, hasSharedHistorySql } from "@carillon/model";
import { knowableId, roles } from "@carillon/contract";
import { column, composed, type Sql, type RowOf } from "@carillon/db";

const channelRow = {
  id: column.int,
  name: column.text,
  recipientId: column.int,
  historyPublicToSubscribers: column.bool,
  /** Whether the viewer has content access. */
  readable: column.bool,
};

/** A channel that a narrow names. */
export type NarrowChannel = RowOf<typeof channelRow>;

interface Named {
  readonly ids: readonly number[];
  readonly names: readonly string[];
}

const channels = composed({
  name: "narrow-channels",
  /** `asked`: by which of the names. */
  row: { ...channelRow, asked: column.texts },
  compose: (viewer: Reader, named: Named) => {
    const values = new SqlValues();
    const realmId = values.add(viewer.realmId, "int");
    const { where, asked } = wanted(named, realmId, values);
    const text = `SELECT c.id, c.name, r.id AS "recipientId",
        ${hasSharedHistorySql} AS "historyPublicToSubscribers",
        ${channelReadable(viewer)(values)} AS readable, ${asked} AS asked
      FROM channels c JOIN recipients r ON r.channel_id = c.id
      WHERE c.realm_id = ${realmId} AND ${where}`;
    return { text, values: values.list, recurs: true };
  },
  examples: (compose) =>
    [roles.member, roles.guest].flatMap((role) =>
      [
        { ids: [1], names: [] },
        { ids: [], names: ["a"] },
        { ids: [1], names: ["a", "b"] },
      ].map((named) => compose({ id: 1, realmId: 1, role, isActive: true }, named)),
    ),
});

/**
 * Nearly every narrow names one channel: asked for without a list, whose length no plan could know beforehand, the
 * prepared statement keeps its plan, and costs a third.
 */
function wanted(
  { ids, names }: Named,
  realmId: string,
  values: SqlValues,
): { where: string; asked: string } {
  const [id, name] = [ids[0], names[0]];
  if (ids.length + names.length > 1 || (id === undefined && name === undefined)) {
    const list = values.add(names, "text[]");
    return {
      where: `c.id IN (
        SELECT unnest(${values.add(ids, "int[]")})
        UNION ALL SELECT id FROM channels WHERE realm_id = ${realmId}
          AND lower(name) = ANY(ARRAY(SELECT lower(a.name) FROM unnest(${list}) AS a (name))))`,
      asked: `ARRAY(SELECT a.name FROM unnest(${list}) AS a (name) WHERE lower(a.name) = lower(c.name))`,
    };
  }
  if (id !== undefined) return { where: `c.id = ${values.add(id, "int")}`, asked: "'{}'::text[]" };
  const asked = values.add(name, "text");
  return { where: `lower(c.name) = lower(${asked})`, asked: `ARRAY[${asked}]` };
}

/** The organization's channels with these ids, and with these names in any case, by what they were asked for by. */
export async function loadNamedChannels(
  sql: Sql,
  viewer: Reader,
  named: readonly (string | number)[],
): Promise<Map<string | number, NarrowChannel>> {
  const ids = named.filter((value) => typeof value === "number").map((id) => knowableId(id));
  const names = named.filter((value) => typeof value === "string");
  const byIdOrName = new Map<string | number, NarrowChannel>();
  for (const { asked, ...channel } of await channels(sql, viewer, { ids, names })) {
    byIdOrName.set(channel.id, channel);
    for (const name of asked) byIdOrName.set(name, channel);
  }
  return byIdOrName;
}
