import {
  type Administered,
  type Viewer,
  administratorsOfBots,
  hasPowerOfOwners,
  loadAdministeredBots,
  type Account,
} from "@carillon/model";
import { type NewEvent, isAtLeast, roles } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { botsSeenEvents } from "./bots-seen.ts";

/**
 * Loads which bots are administered by whom, as far as a change of roles changes that: administrators come and go, and a
 * bot that gets the power of owners is administered by owners only. Call it before the roles are stored.
 * @param targets as they are before, with other roles than `role`
 * @returns what to call once the roles are stored: it makes the events
 */
export async function bothSidesOfBots(
  tx: Tx,
  realmId: number,
  targets: readonly Account[],
  role: number,
): Promise<() => Promise<NewEvent[]>> {
  const viewers = targets.filter(
    (each) =>
      each.isActive && (isAtLeast(each, roles.administrator) || role <= roles.administrator),
  );
  const bots = targets.filter(
    (each) => each.isBot && hasPowerOfOwners(each) !== hasPowerOfOwners({ ...each, role }),
  );
  if (viewers.length === 0 && bots.length === 0) return async () => [];
  const changing = new Set(viewers.map(({ id }) => id));
  const others = (await administratorsOfBots(tx, realmId, bots)).filter(
    ({ id }) => !changing.has(id),
  );
  const load = async (of: readonly Viewer[]): Promise<Administered[]> => [
    ...(of.length > 0 ? await loadAdministeredBots(tx, realmId, of) : []),
    ...(others.length > 0
      ? await loadAdministeredBots(
          tx,
          realmId,
          others,
          bots.map(({ id }) => id),
        )
      : []),
  ];
  const before = await load(viewers);
  return async () => botsSeenEvents(before, await load(viewers.map(({ id }) => ({ id, role }))));
}
