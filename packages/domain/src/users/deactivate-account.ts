import {
  type Account,
  type Realm,
  audienceSeeing,
  groupEvents,
  guestsNotSeeing,
  loadMetadataAudiences,
  loadRealm,
  markSubscriber,
  personUpdated,
  writeAudit,
} from "@carillon/model";
import { statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { archivedAmong } from "../channels/events/channel-events.ts";
import { peerEvents } from "../channels/events/peer-events.ts";
import { forgetDevices } from "../push/devices/forget-devices.ts";
import { sightBySubscriptions } from "../sight/sight-events.ts";
import { deleteProfile } from "./delete-profile.ts";
import { groupsOfAccount } from "./groups-of-account.ts";
import { reactivatedSettings } from "./reactivated-settings.ts";
import { dropQueues } from "./renew-bot-key.ts";

const deactivate = statement({
  name: "account-deactivate",
  text: "UPDATE users SET is_active = false, deactivated_at = now() WHERE id = $1",
  row: {},
});

/**
 * Who hears that an account is gone takes it out of groups and settings. To guests who do not see it, these are told as
 * they are by then.
 */
async function unheardLeaving(tx: Tx, realm: Realm, account: Account): Promise<NewEvent[]> {
  const blind = await guestsNotSeeing(tx, account);
  if (!realm.restrictsGuests || blind.length === 0) return [];
  const groups = await tx.rows(groupsOfAccount, [account.id]);
  return [
    ...groups.flatMap((group) => groupEvents.membersRemoved(group, [account.id], blind)),
    ...(await reactivatedSettings(tx, account.realmId, account.id)),
  ];
}

/** What is wanted beside the deactivation itself. */
export interface AccountDeactivation {
  readonly note?: object;
  readonly deletesProfile?: boolean;
}

/**
 * Deactivates one account, person or bot (users.md §4): its key is refused from the commit on, its event queues are
 * gone, as are its devices, and it counts as nobody's subscriber. Everything else of it is kept for its return.
 * @param actorId for the audit log; null for an operator
 * @param account as it is, in the hands of the transaction
 * @param options `note`: for the audit log; `deletesProfile`: whether its name and picture go too
 * @returns what to tell, in order, at which gateways end the account's open polls, and the line of the audit log
 */
export async function deactivateAccount(
  tx: Tx,
  actorId: number | null,
  account: Account,
  { note = {}, deletesProfile = false }: AccountDeactivation = {},
): Promise<{ readonly events: readonly NewEvent[]; readonly auditId: number }> {
  const [, , unsubscribed, [auditId]] = await Promise.all([
    tx.rows(deactivate, [account.id]),
    tx.rows(dropQueues, [account.id]),
    markSubscriber(tx, account, false),
    writeAudit(tx, account.realmId, actorId, [
      { type: "user_deactivated", userId: account.id, data: note },
    ]),
  ]);
  if (auditId === undefined) throw new Error("the audit log took no line");
  const audiences = await loadMetadataAudiences(
    tx,
    account.realmId,
    unsubscribed.map(({ channelId }) => channelId),
  );
  const realm = await loadRealm(tx, account.realmId);
  const lost = await sightBySubscriptions(tx, realm, account.isBot ? [] : unsubscribed, "lost");
  const audience = await audienceSeeing(tx, account);
  if (!account.isBot) await forgetDevices(tx, account.id);
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
    ...(await unheardLeaving(tx, realm, account)),
    ...profile,
  ];
  return { events, auditId };
}
