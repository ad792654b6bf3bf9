import {
  bounds,
  errors,
  initialDefaults,
  type PersonalSetting,
  personalSettings,
} from "@carillon/contract";
import { notNull, type RowOf, statement, type Tx, typed } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  checkIsAdministrator,
  type Account,
  currentActor,
  lockGroupGraphShared,
  loadNamedGroups,
  loadRealm,
  type Realm,
  recordAudit,
  ruleSettings,
  loadAfter,
} from "@carillon/model";

import { forgetDrafts } from "../drafts.ts";
import { endDeferralOf } from "../messages/deferred/end-deferral.ts";
import { periodSetting, shiftMissedMails } from "./batching-period.ts";
import { settingEvent, type SettingValue } from "./update-defaults.ts";
import { checkLanguage, type OwnSettingsInput } from "./update-own.ts";

/** Settings that notify a person of each message of a channel. The copies of such a person are not deferred. */
const ofEachMessage: ReadonlySet<string> = new Set([
  "enable_stream_push_notifications",
  "enable_stream_email_notifications",
]);

/**
 * Changes settings of other people, including deactivated ones, for an administrator, and sends each the changes
 * (settings-and-profile-fields.md §1.3). Skips bots, which have no settings.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function updateSettingsOfOthers(
  tx: Tx,
  actor: Account,
  targets: TargetUsers,
  wanted: OwnSettingsInput,
): Promise<void> {
  const { realmId } = actor;
  checkIsAdministrator(actor);
  const values = checkSettings(wanted);
  const { userIds, realm, now } = await loadAfter(lockGroupGraphShared(tx, realmId), {
    userIds: lockTargetPeople(tx, realmId, targets),
    realm: loadRealm(tx, realmId),
    now: currentActor(tx, actor),
  });
  checkIsAdministrator(now);
  const names = Object.keys(values);
  if (userIds.length * names.length > bounds.rows)
    throw errors.badRequest(
      `One request cannot change more than ${bounds.rows} settings (people × settings)`,
    );
  const changed = await storeForOthers(tx, realm, userIds, values, targets.skipEdited);
  await endDeferralOf(
    tx,
    changed.flatMap(({ name, value, ids }) =>
      ofEachMessage.has(name) && value === true ? idsIn(ids) : [],
    ),
  );
  for (const { name, value, ids } of changed)
    if (name === "enable_drafts_synchronization" && value === false) await forgetDrafts(tx, ids);
    else if (name === periodSetting && typeof value === "number")
      await shiftMissedMails(tx, idsIn(ids), value);
  recordAudit(
    tx,
    realmId,
    actor.id,
    changed.map(({ name, count }) => ({
      type: "user_settings_changed",
      data: { setting: name, new: values[name], users: count },
    })),
  );
  emit(
    tx,
    realmId,
    changed.map(({ name, value, ids }) => settingEvent(name, value, ids)),
  );
}

/** Parses a PostgreSQL array of ids. */
function idsIn(array: string): number[] {
  return array.slice(1, -1).split(",").map(Number);
}

/**
 * Checks the values.
 * @throws ApiError `BAD_REQUEST` for settings that only the account itself may change
 */
function checkSettings({
  settings,
  defaultLanguage,
  ...own
}: OwnSettingsInput): Readonly<Record<string, SettingValue>> {
  if (Object.values(own).some((value) => value !== undefined))
    throw errors.badRequest(
      "target_users is not allowed with names, addresses, passwords and time zones: each user changes their own",
    );
  if (defaultLanguage !== undefined) checkLanguage(defaultLanguage);
  const declared: Readonly<Record<string, PersonalSetting>> = personalSettings;
  const values: Record<string, SettingValue> = {};
  for (const [name, value] of Object.entries({ ...settings, default_language: defaultLanguage })) {
    if (value === undefined) continue;
    if (declared[name]?.private)
      throw errors.badRequest(
        `target_users is not allowed with ${name}: each user changes their own`,
      );
    values[name] = value;
  }
  return values;
}

/** The people whose settings change. */
interface TargetUsers {
  readonly userIds: readonly number[];
  /** Includes their subgroups. */
  readonly groupIds: readonly number[];
  /** Whether to keep settings that people have changed themselves. */
  readonly skipEdited: boolean;
}

const people = statement({
  name: "people-with-members-lock",
  text: `WITH RECURSIVE below (id) AS (
      SELECT unnest($3::int[])
      UNION SELECT s.subgroup_id FROM below JOIN user_group_subgroup s ON s.supergroup_id = below.id
    )
    SELECT u.id FROM users u
    WHERE u.realm_id = $1 AND NOT u.is_bot AND (u.id = ANY($2::int[]) OR u.id IN (
      SELECT m.user_id FROM below JOIN user_group_member m ON m.group_id = below.id))
    ORDER BY u.id FOR NO KEY UPDATE OF u`,
});

/**
 * Locks the people, including deactivated ones; skips bots. The group graph must be locked.
 * @returns their ids
 * @throws ApiError `BAD_REQUEST` if an account or a group is unknown, or a group is deactivated
 */
async function lockTargetPeople(tx: Tx, realmId: number, targets: TargetUsers): Promise<number[]> {
  const { userIds, groupIds } = targets;
  if (userIds.length + groupIds.length === 0)
    throw errors.badRequest("target_users must name user_ids or group_ids");
  const [rows] = await Promise.all([
    tx.lock({ name: "accounts" }, people, [realmId, userIds, groupIds]),
    checkTargets(tx, realmId, targets),
  ]);
  return rows.map(({ id }) => id);
}

const known = statement({
  name: "accounts-known",
  text: `SELECT count(*)::int AS count FROM users
    WHERE realm_id = $1 AND id = ANY($2::int[]) AND system_bot_kind IS NULL`,
});

async function checkTargets(tx: Tx, realmId: number, targets: TargetUsers): Promise<void> {
  const [userIds, groupIds] = [new Set(targets.userIds), new Set(targets.groupIds)];
  const [accounts, groups] = await Promise.all([
    tx.first(known, [realmId, [...userIds]]),
    loadNamedGroups(tx, realmId, [...groupIds]),
  ]);
  if (accounts?.count !== userIds.size)
    throw errors.badRequest("target_users contains the ID of a user that does not exist");
  const usable = [...groups.values()].filter(({ deactivated }) => !deactivated);
  if (usable.length !== groupIds.size)
    throw errors.badRequest(
      "target_users contains the ID of a group that does not exist or is deactivated",
    );
}

/**
 * A setting is stored in one of two columns; if it is missing, its initial value applies. Each account is written once,
 * however many settings change.
 */
const store = statement({
  name: "settings-store-for-others",
  text: `WITH held AS MATERIALIZED (
      SELECT id, settings, rule_settings, edited_settings FROM users
      WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    ), wanted AS MATERIALIZED (
      SELECT key AS name, value, $3::jsonb->key AS initial, key = ANY($5::text[]) AS ruled FROM jsonb_each($2::jsonb)
    ), changed AS MATERIALIZED (
      SELECT u.id, w.name, w.value, w.ruled FROM held u CROSS JOIN wanted w
      WHERE NOT ($4 AND w.name = ANY(u.edited_settings))
        AND coalesce(CASE WHEN w.ruled THEN u.rule_settings ELSE u.settings END->w.name, w.initial) <> w.value
    ), stored AS (
      UPDATE users u SET settings = u.settings || c.plain, rule_settings = u.rule_settings || c.ruled
      FROM (
        SELECT id, coalesce(jsonb_object_agg(name, value) FILTER (WHERE NOT ruled), '{}') AS plain,
          coalesce(jsonb_object_agg(name, value) FILTER (WHERE ruled), '{}') AS ruled
        FROM changed GROUP BY id
      ) c WHERE u.id = c.id
    )
    SELECT name, value, count(*)::int AS count, array_agg(id ORDER BY id)::text AS ids FROM changed
    GROUP BY name, value ORDER BY name`,
  overrides: { name: notNull, value: typed<SettingValue>().notNull },
});

/**
 * Sets the values by wire names. Skips accounts that already have the value, and with `skipEdited` accounts that have
 * changed the setting themselves. The accounts must be locked.
 * @returns each setting that has changed, with the number of accounts and their ids as a PostgreSQL array literal
 */
async function storeForOthers(
  tx: Tx,
  realm: Realm,
  userIds: readonly number[],
  values: Readonly<Record<string, SettingValue>>,
  skipEdited: boolean,
): Promise<Array<RowOf<typeof store>>> {
  const initial = { ...initialDefaults(), default_language: realm.defaultLanguage };
  return tx.lock({ name: "accounts", keys: userIds }, store, [
    userIds,
    JSON.stringify(values),
    JSON.stringify(initial),
    skipEdited,
    ruleSettings,
  ]);
}
