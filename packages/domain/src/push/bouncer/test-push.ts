import { errors, type ApiError } from "@carillon/contract";
import { statement, type Database } from "@carillon/db";
import { realmUrl, type Account, type Site } from "@carillon/model";
import {
  encryptPayload,
  pushRequestFor,
  type BouncerClient,
  type BouncerFailure,
} from "@carillon/push";

import { activeDevices, applyNotifyOutcome } from "./after-notify.ts";

const sender = statement({
  name: "realm-for-test-push",
  text: `SELECT uuid, subdomain, name, floor(extract(epoch FROM now()))::float8 AS time FROM realms WHERE id = $1`,
});

/**
 * Sends a test notification to the account's active devices, and waits for the bouncer's response (push.md §6). Must
 * not be called in a transaction.
 * @param options `deviceId`: only this device; `signal`: aborts the call
 * @throws ApiError `PUSH_SERVICE_NOT_CONFIGURED`, `NO_ACTIVE_PUSH_DEVICE`, and the call's failure
 */
export async function testPush(
  services: {
    readonly db: Database;
    readonly site: Site;
    readonly bouncer: BouncerClient | undefined;
  },
  { id: userId, realmId }: Account,
  options: { readonly deviceId: number | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { db, site, bouncer } = services;
  if (!bouncer) throw errors.pushServiceNotConfigured();
  const [devices, [realm]] = await Promise.all([
    activeDevices(db, userId, options.deviceId),
    db.rows(sender, [realmId]),
  ]);
  if (devices.length === 0 || !realm) throw errors.noActivePushDevice();
  const payload = {
    type: "test",
    realm_url: realmUrl(site, realm),
    realm_name: realm.name,
    user_id: userId,
    time: realm.time,
  };
  const push_requests = await Promise.all(
    devices.map(async (device) =>
      pushRequestFor(device, "test", await encryptPayload(device.pushKey, payload)),
    ),
  );
  const body = { realm_uuid: realm.uuid, push_requests };
  const outcome = await bouncer.notify(body, { signal: options.signal });
  await db.transaction((tx) => applyNotifyOutcome(tx, { realmId, userIds: [userId] }, outcome));
  if (outcome.kind !== "done") throw refusal(outcome);
  const dead = new Set(outcome.answer.delete_token_ids);
  if (push_requests.every(({ token_id }) => dead.has(token_id))) throw errors.noActivePushDevice();
}

function refusal(failure: BouncerFailure): ApiError {
  if (failure.kind === "retry")
    return failure.at === "transport"
      ? errors.failedToConnectBouncer()
      : errors.internalServerErrorOnBouncer();
  return errors.adminActionRequired(
    "The push service requires an action of this server's administrator",
  );
}
