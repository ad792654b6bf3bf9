import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  currentActor,
  holdAccount,
  isOrganizationAdministrator,
  noSuchUser,
  type Account,
} from "@carillon/model";

import type { NamedEmoji } from "./status-emoji.ts";
import { updateStatus } from "./update-status.ts";

/**
 * Sets what somebody else says of themselves, as an administrator (clients.md §4).
 * @throws ApiError `BAD_REQUEST` for who is no active person of the organization, and as for one's own status;
 * `UNAUTHORIZED_PRINCIPAL` for an actor who is no administrator any more
 */
export async function updateStatusOfUser(
  tx: Tx,
  actor: Account,
  userId: number,
  text: string | undefined,
  emoji: NamedEmoji,
): Promise<void> {
  const target = await holdAccount(tx, actor.realmId, userId);
  if (!isOrganizationAdministrator(await currentActor(tx, actor)))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
  if (!target?.isActive || target.isBot) throw noSuchUser();
  await updateStatus(tx, target, text, emoji);
}
