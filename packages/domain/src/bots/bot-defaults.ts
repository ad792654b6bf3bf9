import { type Account, type AuditEntry, botUpdatedEvent } from "@carillon/model";
import type { BotDefaults, NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { botAdministrators } from "./bot-administrators.ts";
import { botChannel } from "./bot-channel.ts";

/** What a bot is to be made for from now on: names of channels, blank for none; undefined where nothing changes. */
export interface WantedDefaults {
  readonly sendingChannel: string | undefined;
  readonly eventsChannel: string | undefined;
  readonly allPublicChannels: boolean | undefined;
}

/** What has changed, and what is to be told and written down of it. */
interface ChangedDefaults {
  readonly now: BotDefaults;
  readonly events: readonly NewEvent[];
  readonly audit: readonly AuditEntry[];
}

/**
 * Changes what a bot is made for (users.md §5), and tells those who administer it.
 * @param bot as it is by now
 * @throws ApiError `BAD_REQUEST` where the actor sees no such channel
 */
export async function changeBotDefaults(
  tx: Tx,
  actor: Account,
  bot: Account,
  { sendingChannel, eventsChannel, allPublicChannels }: WantedDefaults,
): Promise<ChangedDefaults> {
  const sending = await botChannel(tx, actor, sendingChannel);
  const listening = await botChannel(tx, actor, eventsChannel);
  const before = await defaultsOf(tx, bot.id);
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: bot.id },
    data: {
      ...(sendingChannel === undefined ? {} : { defaultSendingChannelId: sending?.id ?? null }),
      ...(eventsChannel === undefined
        ? {}
        : { defaultEventsRegisterChannelId: listening?.id ?? null }),
      ...(allPublicChannels === undefined ? {} : { defaultAllPublicChannels: allPublicChannels }),
    },
    select: { id: true },
  });
  const now = await defaultsOf(tx, bot.id);
  const names = Object.keys(now) as Array<keyof BotDefaults>;
  const changed = names.filter((name) => now[name] !== before[name]);
  if (changed.length === 0) return { now, events: [], audit: [] };
  const told = Object.fromEntries(changed.map((name) => [name, now[name]]));
  return {
    now,
    events: [botUpdatedEvent(bot.id, told, await botAdministrators(tx, bot))],
    audit: changed.map((name) => ({
      type: `bot_${name}_changed`,
      userId: bot.id,
      data: { old: before[name], new: now[name] },
    })),
  };
}

async function defaultsOf(tx: Tx, botId: number): Promise<BotDefaults> {
  const prisma = await tx.prisma();
  const { defaultSendingChannel, defaultEventsRegisterChannel, defaultAllPublicChannels } =
    await prisma.user.findUniqueOrThrow({
      where: { id: botId },
      select: {
        defaultSendingChannel: { select: { name: true } },
        defaultEventsRegisterChannel: { select: { name: true } },
        defaultAllPublicChannels: true,
      },
    });
  return {
    default_sending_stream: defaultSendingChannel?.name ?? null,
    default_events_register_stream: defaultEventsRegisterChannel?.name ?? null,
    default_all_public_streams: defaultAllPublicChannels,
  };
}
