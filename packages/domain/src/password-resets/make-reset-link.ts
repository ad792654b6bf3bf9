import { statement, type Tx } from "@carillon/db";
import { sendMail } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";
import type { Site } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { resetHours } from "./find-reset.ts";

const insert = statement({
  name: "password-reset-insert",
  text: `WITH requested AS (DELETE FROM reset_requests WHERE realm_id = $1 AND id = $2
      RETURNING realm_id, email, created_at)
    INSERT INTO password_resets (realm_id, user_id, email, key_sealed, key_digest, created_at)
    SELECT u.realm_id, u.id, u.delivery_email, $3, $4, q.created_at
    FROM requested q JOIN users u ON u.realm_id = q.realm_id AND lower(u.delivery_email) = lower(q.email)
    WHERE NOT u.is_bot AND u.system_bot_kind IS NULL
      AND q.created_at > now() - make_interval(hours => ${resetHours})
    RETURNING id`,
});

/**
 * Makes a link by which the person who has the requested address can set a password, and records its mail. Makes none if
 * no person has the address, or if the request is too old. Always deletes the request.
 * @param wanted `requestId`: id of the row of `reset_requests`
 */
export async function makeLinkOfReset(
  tx: Tx,
  { secrets }: Site,
  realmId: number,
  { requestId }: { readonly requestId: number },
): Promise<void> {
  const key = randomKey();
  const [reset] = await tx.rows(insert, [
    realmId,
    requestId,
    secrets.seal(key),
    secrets.digest(key),
  ]);
  if (!reset) return;
  const kind = "password-reset";
  await recordIntents(tx, realmId, sendMail, [
    { key: `${kind}-${reset.id}`, payload: { kind, resetId: reset.id } },
  ]);
}
