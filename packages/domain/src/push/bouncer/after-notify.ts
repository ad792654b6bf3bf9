import { notNull, type RowOf, type Sql, statement, type Tx, typed } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  lockOrganization,
  type PushStatus,
  pushStatusEvents,
  type PushTokenKind,
} from "@carillon/model";
import type { BouncerOutcome, NotifyAnswer } from "@carillon/push";

import { emitDeviceEvent } from "../devices/devices.ts";

/** The devices of a call: all active devices of these accounts of one organization. */
export interface NotifiedAccounts {
  readonly realmId: number;
  readonly userIds: readonly number[];
}

/**
 * Stores the consequences of the bouncer's response to `notify`, in the caller's transaction (push.md §9): removes dead
 * tokens, and updates whether the organization may push. Outcomes that are retried change nothing. Locks the
 * organization, then the devices, each only if something changes.
 */
export async function applyNotifyOutcome(
  tx: Tx,
  { realmId, userIds }: NotifiedAccounts,
  outcome: BouncerOutcome<NotifyAnswer>,
): Promise<void> {
  if (outcome.kind === "done") {
    const { realm_push_status: status, delete_token_ids: dead } = outcome.answer;
    if (status)
      await storeStatus(tx, realmId, () => ({
        enabled: status.can_push,
        endsAt: storable(status.expected_end_timestamp),
      }));
    await forgetTokens(tx, realmId, userIds, dead);
  } else if (refusesOrganization(outcome)) {
    await storeStatus(tx, realmId, (before) => ({ ...before, enabled: false }));
  }
}

/**
 * Whether the bouncer rejects the organization until an operator acts (missing realm, plan restriction). Such a call is
 * not retried (push.md §9).
 */
export function refusesOrganization(outcome: BouncerOutcome<unknown>): boolean {
  return (
    outcome.kind === "adminActionRequired" &&
    (outcome.code === "MISSING_REMOTE_REALM" || outcome.code === "PUSH_NOTIFICATIONS_DISALLOWED")
  );
}

/** The last second of the year 9999, in UNIX seconds. */
const farthest = 253_402_300_799;

/** Clamps the time to what a column can store and a client can show. */
function storable(endsAt: number | null): number | null {
  return endsAt === null ? null : Math.min(Math.max(endsAt, 0), farthest);
}

const readStatus = statement({
  name: "push-status",
  text: `SELECT push_notifications_enabled AS enabled,
      floor(extract(epoch FROM push_notifications_enabled_end_timestamp))::float8 AS "endsAt"
    FROM realms WHERE id = $1`,
});

const writeStatus = statement({
  name: "push-status-write",
  text: `UPDATE realms SET push_notifications_enabled = $2,
      push_notifications_enabled_end_timestamp = to_timestamp($3::float8) WHERE id = $1`,
});

/** Checks without a lock first: the status rarely changes, and then the organization's row stays unlocked. */
async function storeStatus(
  tx: Tx,
  realmId: number,
  next: (before: PushStatus) => PushStatus,
): Promise<void> {
  const known = await tx.first(readStatus, [realmId]);
  if (!known || pushStatusEvents(known, next(known)).length === 0) return;
  await lockOrganization(tx, realmId);
  const before = await tx.first(readStatus, [realmId]);
  if (!before) return;
  const now = next(before);
  const events = pushStatusEvents(before, now);
  if (events.length === 0) return;
  await tx.rows(writeStatus, [realmId, now.enabled, now.endsAt]);
  emit(tx, realmId, events);
}

const lockDead = statement({
  name: "devices-lock-dead",
  text: `SELECT d.id, d.user_id AS "userId" FROM client_devices d
    WHERE d.user_id = ANY($1::int[]) AND d.push_token_id = ANY($2::bytea[])
      AND EXISTS (SELECT FROM users u WHERE u.id = d.user_id AND u.realm_id = $3)
    ORDER BY d.id FOR NO KEY UPDATE`,
});

const forget = statement({
  name: "devices-forget-tokens",
  text: "UPDATE client_devices SET push_token_id = NULL WHERE id = ANY($1::bigint[])",
});

/** Keeps the devices and their keys: a client may register another token. */
async function forgetTokens(
  tx: Tx,
  realmId: number,
  userIds: readonly number[],
  dead: readonly string[],
): Promise<void> {
  // Ids of other lengths are not our tokens.
  const tokenIds = dead.map((id) => Buffer.from(id, "base64")).filter(({ length }) => length === 8);
  if (tokenIds.length === 0) return;
  const values = [userIds, tokenIds, realmId];
  const devices = await tx.lock({ name: "devices" }, lockDead, values);
  if (devices.length === 0) return;
  await tx.rows(forget, [devices.map(({ id }) => id)]);
  for (const { id, userId } of devices)
    emitDeviceEvent.updated(tx, { id: userId, realmId }, id, { push_token_id: null });
}

const active = statement({
  name: "devices-active",
  text: `SELECT push_token_id AS "tokenId", push_token_kind AS "tokenKind", push_key_id AS "pushKeyId",
      push_key AS "pushKey"
    FROM client_devices
    WHERE user_id = $1 AND ($2::bigint IS NULL OR id = $2) AND push_token_id IS NOT NULL
      AND push_token_kind IS NOT NULL AND push_key IS NOT NULL AND push_key_id IS NOT NULL
    ORDER BY id`,
  overrides: {
    /** 8 bytes */
    tokenId: notNull,
    tokenKind: typed<PushTokenKind>().notNull,
    pushKeyId: notNull,
    /** 33 bytes */
    pushKey: notNull,
  },
});

/** Loads the account's active devices, or the one with the id. Their keys must not be logged. */
export function activeDevices(
  sql: Sql,
  userId: number,
  deviceId: number | undefined,
): Promise<Array<RowOf<typeof active>>> {
  return sql.rows(active, [userId, deviceId ?? null]);
}
