import { isAtLeast, type NewEvent, roles } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  type Account,
  type AdministeredBot,
  administratorsOfBots,
  botAddedEvent,
  botDeletedEvent,
  hasPowerOfOwners,
  loadAdministeredBots,
  type Viewer,
} from "@carillon/model";

/**
 * Loads which accounts administer which bots, as far as a change of roles affects it: accounts gain or lose the
 * administrator role, and only owners administer a bot with the power of owners. Call it before the roles are stored.
 * @param targets the accounts before the change, with roles other than `role`
 * @returns a function that makes the events once the roles are stored
 */
export async function watchAdministeredBots(
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
  const load = async (of: readonly Viewer[]): Promise<AdministeredBot[]> => [
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

/** Makes the events for accounts that administer other bots than before. */
export function botsSeenEvents(
  before: readonly AdministeredBot[],
  after: readonly AdministeredBot[],
): NewEvent[] {
  return [
    ...botEvents(botDeletedEvent, without(before, after)),
    ...botEvents(botAddedEvent, without(after, before)),
  ];
}

function without(
  some: readonly AdministeredBot[],
  others: readonly AdministeredBot[],
): AdministeredBot[] {
  const key = ({ viewer, bot }: AdministeredBot) => `${viewer} ${bot.user_id}`;
  const known = new Set(others.map(key));
  return some.filter((one) => !known.has(key(one)));
}

/** Makes one event for each bot, for all accounts whose rights changed. */
function botEvents(
  event: typeof botAddedEvent | typeof botDeletedEvent,
  changes: readonly AdministeredBot[],
): NewEvent[] {
  const byBot = new Map<number, { bot: AdministeredBot["bot"]; audience: number[] }>();
  for (const { viewer, bot } of changes) {
    const known = byBot.get(bot.user_id);
    if (known) known.audience.push(viewer);
    else byBot.set(bot.user_id, { bot, audience: [viewer] });
  }
  return [...byBot.values()].map(({ bot, audience }) => event(bot, audience));
}
