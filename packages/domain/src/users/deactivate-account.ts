import type { NewEvent } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import {
  type Account,
  groupEvents,
  guestsNotSeeing,
  loadAfter,
  loadMetadataAudiences,
  loadRealm,
  lockAccountAudience,
  markSubscriber,
  personUpdated,
  type Realm,
  writeAudit,
} from "@carillon/model";

import { archivedAmong } from "../channel-events/channel-events.ts";
import { peerEvents } from "../channel-events/peer-events.ts";
import { endCallsOfBots } from "../outgoing-calls/claim-call.ts";
import { disableSubscriptionsOfBots } from "../outgoing-calls/disable-subscriptions.ts";
import { outgoingWebhook } from "../outgoing-calls/record-calls.ts";
import { forgetDevices } from "../push/devices/devices.ts";
import { visibilityBySubscriptions } from "../user-visibility/visibility-events.ts";
import { dropQueues } from "./api-key.ts";
import { endOwnInvitations } from "./end-invitations.ts";
import { groupsOfAccount } from "./insert-user.ts";
import { listingSettingEvents } from "./reactivate-user.ts";
import { deleteProfile } from "./update-user.ts";

/** `clock_timestamp()` is later than the creation of any link that the account made before the lock of the group graph. */
const deactivate = statement({
  name: "account-deactivate",
  text: "UPDATE users SET is_active = false, deactivated_at = clock_timestamp() WHERE id = $1",
});

/**
 * Makes events for guests who cannot see the account. Other clients remove a deactivated account from groups and
 * settings themselves; these guests do not receive the deactivation, so they receive the changed groups and settings.
 */
async function eventsForGuestsNotSeeing(
  tx: Tx,
  realm: Realm,
  account: Account,
): Promise<NewEvent[]> {
  const hiddenFrom = await guestsNotSeeing(tx, account);
  if (!realm.restrictsGuests || hiddenFrom.length === 0) return [];
  const groups = await tx.rows(groupsOfAccount, [account.id]);
  return [
    ...groups.flatMap((group) => groupEvents.membersRemoved(group, [account.id], hiddenFrom)),
    ...(await listingSettingEvents(tx, account.realmId, account.id)),
  ];
}

/** Options of the deactivation of one account. */
interface AccountDeactivation {
  readonly note?: object;
  readonly deletesProfile?: boolean;
}

/**
 * Deactivates one account, person or bot (users.md §4): after the commit its key is rejected. Deletes its event queues
 * and devices, ends its invitations and reusable links, and no longer counts it as a subscriber. Keeps everything else
 * for its reactivation.
 * @param actorId for the audit log; null for an operator
 * @param account locked by the transaction
 * @param options `note`: for the audit log; `deletesProfile`: whether to delete its name and picture
 * @returns the events in order, which also end the account's open polls, and the id of the audit log's entry
 */
export async function deactivateAccount(
  tx: Tx,
  actorId: number | null,
  account: Account,
  { note = {}, deletesProfile = false }: AccountDeactivation = {},
): Promise<{ readonly events: readonly NewEvent[]; readonly auditId: number }> {
  const {
    unsubscribed,
    auditIds: [auditId],
  } = await loadAfter([tx.rows(deactivate, [account.id]), tx.rows(dropQueues, [account.id])], {
    unsubscribed: markSubscriber(tx, account, false),
    auditIds: writeAudit(tx, account.realmId, actorId, [
      { type: "user_deactivated", userId: account.id, data: note },
    ]),
  });
  if (auditId === undefined) throw new Error("audit insert returned no id");
  const audiences = await loadMetadataAudiences(
    tx,
    account.realmId,
    unsubscribed.map(({ channelId }) => channelId),
  );
  const realm = await loadRealm(tx, account.realmId);
  const lost = await visibilityBySubscriptions(
    tx,
    realm,
    account.isBot ? [] : unsubscribed,
    "lost",
  );
  const audience = await lockAccountAudience(tx, account);
  const invitations = account.isBot ? [] : await endOwnInvitations(tx, account);
  if (!account.isBot) await forgetDevices(tx, account.id);
  if (account.botType === outgoingWebhook) await endCallsOfBots(tx, [account.id]);
  if (account.isBot) disableSubscriptionsOfBots(tx, [account.id]);
  const profile = deletesProfile ? await deleteProfile(tx, account, audience) : [];
  const events = [
    ...peerEvents(
      "peer_remove",
      unsubscribed,
      audiences,
      archivedAmong(unsubscribed.map(({ channelId: id, isArchived }) => ({ id, isArchived }))),
    ),
    personUpdated(account.id, { is_active: false }, audience),
    ...lost,
    ...(await eventsForGuestsNotSeeing(tx, realm, account)),
    ...profile,
    ...invitations,
  ];
  return { events, auditId };
}
