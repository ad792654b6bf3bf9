import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { endInvitations, type EndInvitationsIntent } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";
import {
  endInvitationsOfMaker,
  endInvitationsToAddress,
  invitesChangedEvents,
  linksAtOnce,
} from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

/**
 * Ends links that an account has made, because it is deactivated (users.md §4), and records a job if there are more. None of
 * the links can be used any more, even before the job. The exclusive lock of the group graph must be held: it prevents new
 * links.
 * @returns the events
 */
export async function endOwnInvitations(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
): Promise<NewEvent[]> {
  const ended = await endInvitationsOfMaker(tx, realmId, id);
  if (ended === linksAtOnce) await recordInvitationEnds(tx, realmId, id);
  return ended === 0 ? [] : invitesChangedEvents(tx, realmId, [id]);
}

/** Records the job that ends the other links that the account made before its deactivation, and those for its address. */
export function recordInvitationEnds(tx: Tx, realmId: number, userId: number): Promise<void> {
  return recordIntents(tx, realmId, endInvitations, [{ key: uniqueId(), payload: { userId } }]);
}

/**
 * Runs one step of ending an account's links, and records the next one until none is left. Events report only links to
 * the account's address: the links that the account made left the lists when it was deactivated.
 * @param intentId id of this step's job intent, from which the next one's key is made
 */
export async function runEndInvitationsStep(
  tx: Tx,
  realmId: number,
  intentId: number,
  { userId }: EndInvitationsIntent,
): Promise<void> {
  const ofMaker = await endInvitationsOfMaker(tx, realmId, userId);
  const makers = await endInvitationsToAddress(tx, realmId, userId);
  if (Math.max(ofMaker, makers.length) === linksAtOnce)
    await recordIntents(tx, realmId, endInvitations, [
      { key: `after-${intentId}`, payload: { userId } },
    ]);
  if (makers.length > 0)
    emit(tx, realmId, await invitesChangedEvents(tx, realmId, [...new Set(makers)]));
}
