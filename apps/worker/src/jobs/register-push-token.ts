import { pendingRegistration, registrationExpired, settleRegistration } from "@carillon/domain";
import { registerPushToken } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

import type { BouncerReply } from "../bouncer.ts";
import { callProcessor } from "../intent-processor.ts";

/** Registers a device's token with the push bouncer (push.md §3), and stores the answer unless the device has changed. */
export default callProcessor(registerPushToken, async (db, intent, calling) => {
  const { realmId, payload: ref } = intent;
  const registration = await pendingRegistration(db, realmId, ref);
  if (!registration) return;
  const { tokenId, realmUuid, bouncerPublicKey, encryptedRegistration } = registration;
  const { log, signal } = calling;
  if (registration.isExpired) {
    log.error(
      { deviceId: ref.deviceId },
      "push registration of a device expired after failing for a day",
    );
    return (tx) => settleRegistration(tx, realmId, ref, registrationExpired);
  }
  const { bouncer } = calling;
  if (!bouncer) throw new Error("no push bouncer is configured");
  const given = {
    realmUuid,
    tokenId,
    bouncerPublicKey,
    encryptedPushRegistration: encryptedRegistration,
  };
  const refusal = decided(await bouncer.register(given, { signal }), log);
  return (tx) => settleRegistration(tx, realmId, ref, refusal);
});

/**
 * Returns why the bouncer rejected the token; undefined if it accepted it.
 * @throws Error if it has not decided, so that the job is retried
 */
function decided(reply: BouncerReply<unknown>, log: Logger): string | undefined {
  switch (reply.kind) {
    case "done":
      return undefined;
    case "permanent":
      if (reply.code === registrationExpired)
        log.error({ reason: reply.reason }, "the push bouncer rejected a registration as too old");
      return reply.code;
    case "retry":
      throw new Error(`the push bouncer: ${reply.reason}`);
    case "adminActionRequired":
      log.error({ code: reply.code }, "the push bouncer requires an action of an administrator");
      throw new Error(`the push bouncer requires an action of an administrator: ${reply.code}`);
  }
}
