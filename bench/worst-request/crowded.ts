import type { Database } from "@carillon/db";
import { insertChannel } from "@carillon/domain";
import { defaultGroups, groupIds, loadSystemGroups } from "@carillon/model";
import { channelPermissions, roles } from "@carillon/contract";
import { addCrowd } from "../lib/crowd.ts";
import { createWorld, type Member, type BenchChannel, type World } from "../lib/world.ts";
import { fill } from "./texts.ts";

/** Size of the organization. */
export const size = {
  accounts: 10_000,
  channels: 4_000,
  /** Channels with the longest descriptions, as many as an organization may have. */
  described: 2_000,
  /** Accounts with the same name. */
  namesakes: 2_000,
  history: 5_000,
  emoji: 100,
  drafts: 1_000,
} as const;

/** A large organization, and accounts with much data. */
export interface Crowded {
  readonly world: World;
  readonly channel: BenchChannel;
  readonly crowd: readonly Member[];
  /** A bot; its owner is the channel's first member, who also owns the organization. */
  readonly bot: Member;
  /** A member with 600 pending scheduled messages of 10,000 characters. */
  readonly wordy: Member;
  /** A member with 10,000 pending scheduled messages. */
  readonly patient: Member;
  /** IDs of 5,000 messages of 4,000 characters in the channel, in order; all members of the channel have copies. */
  readonly history: readonly number[];
  /** A channel with messages of 10,000 emoji. Their HTML is a hundred times as long as their text. */
  readonly hall: BenchChannel;
  /** A member with as many drafts of 10,000 characters as an account may have. */
  readonly drafter: Member;
}

/** HTML of an emoji. Messages that were rendered before the limit on their HTML contain it up to 10,000 times. */
const emoji =
  '<span aria-label="grinning" class="emoji emoji-1f600" role="img" title="grinning">:grinning:</span>';

/** Creates the organization. */
export async function createCrowded(db: Database): Promise<Crowded> {
  const world = await createWorld(db, 2, 20);
  const [channel, hall] = world.channels as [BenchChannel, BenchChannel];
  const crowd = await addCrowd(db, world, channel, size.accounts - channel.members.length);
  const named = crowd.slice(-size.namesakes).map(({ id }) => id);
  await db.rows("UPDATE users SET full_name = 'Namesake' WHERE id = ANY($1)", [named]);
  const bot = crowd.at(-1)!;
  await db.rows("UPDATE users SET role = $2 WHERE id = $1", [channel.members[0]!.id, roles.owner]);
  await db.rows(
    "UPDATE users SET is_bot = true, bot_type = 1, bot_owner_id = $2, full_name = 'Bot' WHERE id = $1",
    [bot.id, channel.members[0]!.id],
  );
  const groups = groupIds(
    defaultGroups(channelPermissions, await loadSystemGroups(db, world.realmId)),
  );
  await db.transaction(async (tx) => {
    for (let n = 0; n < size.channels; n++) {
      const name = `one of many ${n}`;
      await insertChannel(tx, world.realmId, { name, creatorId: channel.members[0]!.id, groups });
    }
  });
  await describeChannels(db, world, size.described);
  const [, , wordy, patient] = channel.members as [Member, Member, Member, Member];
  await db.rows("INSERT INTO clients (name) VALUES ('bench') ON CONFLICT DO NOTHING");
  await schedule(db, world, channel, wordy, 600, fill("many words ", 9_990));
  await schedule(db, world, channel, patient, 10_000, "few words");
  const history = await fillHistory(
    db,
    world,
    channel,
    wordy,
    size.history,
    fill("long words ", 3_990),
  );
  await fillHistory(
    db,
    world,
    hall,
    hall.members[0]!,
    size.emoji,
    "😀".repeat(10_000),
    emoji.repeat(10_000),
  );
  const drafter = hall.members.at(-1)!;
  await db.rows(
    `INSERT INTO drafts (user_id, kind, "to", topic, content, last_edit_time)
     SELECT $1, '', '{}', '', repeat('é', 10000), now() FROM generate_series(1, $2::int)`,
    [drafter.id, size.drafts],
  );
  await db.rows("VACUUM ANALYZE");
  return { world, channel, crowd: crowd.slice(0, -1), bot, wordy, patient, history, hall, drafter };
}

/**
 * Gives channels descriptions of 1,024 emoji. In their HTML, 78 emoji use up the allowed 8,000 characters of markup;
 * the others are text.
 */
async function describeChannels(db: Database, { realmId }: World, count: number): Promise<void> {
  await db.rows(
    `UPDATE channels SET description = repeat('😀', 1024),
       rendered_description = '<p>' || repeat($3, 78) || repeat('😀', 946) || '</p>'
     WHERE id IN (SELECT id FROM channels WHERE realm_id = $1 ORDER BY id DESC LIMIT $2)`,
    [realmId, count, emoji],
  );
}

async function fillHistory(
  db: Database,
  { realmId }: World,
  channel: BenchChannel,
  sender: Member,
  count: number,
  text: string,
  html = text,
): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(
    `WITH added AS (
       INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id, search)
       SELECT $1, $2, $3, true, 'history', $5, '<p>' || $7 || '</p>', 1, (SELECT min(id) FROM clients),
         to_tsvector('english', $5)
       FROM generate_series(1, $4::int) RETURNING id
     ), had AS (
       INSERT INTO user_messages SELECT m.id, added.id, 1 FROM added, unnest($6::int[]) AS m (id)
     )
     SELECT id FROM added ORDER BY id`,
    [
      realmId,
      sender.id,
      channel.recipientId,
      count,
      text,
      channel.members.map(({ id }) => id),
      html,
    ],
  );
  return rows.map(({ id }) => id);
}

function schedule(
  db: Database,
  { realmId }: World,
  channel: BenchChannel,
  { id }: Member,
  count: number,
  text: string,
): Promise<unknown> {
  return db.rows(
    `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content, rendered_content,
       client_id, deliver_at, read_by_sender)
     SELECT $1, $2, $3, $4, 't', $6, '<p>' || $6 || '</p>', (SELECT min(id) FROM clients),
       date_trunc('second', now()) + interval '30 days' + make_interval(secs => n), false
     FROM generate_series(1, $5::int) AS n`,
    [realmId, id, channel.recipientId, channel.id, count, text],
  );
}
