import {
  type AccessibleMessage,
  type Account,
  contentDeleteLimit,
  loadAccounts,
  loadMemberships,
  loadRealm,
} from "@carillon/model";
import { channelPermissions, errors, realmPermissions } from "@carillon/contract";
import { inOneStatement, type Tx } from "@carillon/db";

/**
 * Whether the account may delete the message (messages.md §6.4). The group graph and the message must be held.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkMayDelete(
  tx: Tx,
  actor: Account,
  { channel, senderId, sentAt }: AccessibleMessage,
): Promise<void> {
  const [realm, memberships, accounts] = await inOneStatement(tx, (one) =>
    Promise.all([
      loadRealm(one, actor.realmId),
      loadMemberships(one, [actor.id]),
      loadAccounts(one, actor.realmId, [senderId]),
    ]),
  );
  const holds = (name: "canDeleteAnyMessageGroup" | "canDeleteOwnMessageGroup") =>
    memberships.holds(actor, realmPermissions[name], realm.groups[name]) ||
    (channel !== undefined &&
      memberships.holds(actor, channelPermissions[name], channel[`${name}Id`]));

  if (holds("canDeleteAnyMessageGroup")) return;
  const sender = accounts.get(senderId);
  const isOwn = senderId === actor.id || (sender?.isBot === true && sender.botOwnerId === actor.id);
  if (!isOwn || !holds("canDeleteOwnMessageGroup"))
    throw errors.badRequest("You may not delete this message");
  if (realm.now - sentAt > contentDeleteLimit)
    throw errors.badRequest(
      `You may delete messages of your own for ${contentDeleteLimit} seconds after they were sent`,
    );
}
