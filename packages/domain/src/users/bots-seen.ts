import { type Administered, botAddedEvent, botDeletedEvent } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";

/** What those are told who administer other bots than before. */
export function botsSeenEvents(
  before: readonly Administered[],
  after: readonly Administered[],
): NewEvent[] {
  return [
    ...botEvents(botDeletedEvent, without(before, after)),
    ...botEvents(botAddedEvent, without(after, before)),
  ];
}

function without(some: readonly Administered[], others: readonly Administered[]): Administered[] {
  const key = ({ viewer, bot }: Administered) => `${viewer} ${bot.user_id}`;
  const known = new Set(others.map(key));
  return some.filter((one) => !known.has(key(one)));
}

/** One for each bot, to all whom it concerns. */
function botEvents(
  event: typeof botAddedEvent | typeof botDeletedEvent,
  changes: readonly Administered[],
): NewEvent[] {
  const byBot = new Map<number, { bot: Administered["bot"]; audience: number[] }>();
  for (const { viewer, bot } of changes) {
    const known = byBot.get(bot.user_id);
    if (known) known.audience.push(viewer);
    else byBot.set(bot.user_id, { bot, audience: [viewer] });
  }
  return [...byBot.values()].map(({ bot, audience }) => event(bot, audience));
}
