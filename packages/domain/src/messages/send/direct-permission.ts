import type { Account, Memberships, Realm } from "@carillon/model";
import { errors, realmPermissions } from "@carillon/contract";

/**
 * Checks that the sender may write in the conversation (scheduled-messages.md §0.4): a participant holds the organization's
 * permission for direct messages, and the conversation exists or the sender may start conversations. Messages from bots,
 * and messages to bots only, are always allowed.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkDirectPermission(
  sender: Account,
  participants: readonly Account[],
  conversationExists: boolean,
  realm: Realm,
  memberships: Memberships,
): void {
  if (sender.isBot) return;
  if (participants.every((account) => account.id === sender.id || account.isBot)) return;
  const { directMessagePermissionGroup, directMessageInitiatorGroup } = realmPermissions;
  const permitted = participants.some((account) =>
    memberships.holds(
      account,
      directMessagePermissionGroup,
      realm.groups.directMessagePermissionGroup,
    ),
  );
  if (!permitted)
    throw errors.badRequest("The organization does not allow direct messages between these users");
  if (conversationExists) return;
  if (
    !memberships.holds(
      sender,
      directMessageInitiatorGroup,
      realm.groups.directMessageInitiatorGroup,
    )
  )
    throw errors.badRequest("You may not start a direct conversation");
}
