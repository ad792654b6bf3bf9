import { clientIdOf } from "@carillon/model";
import { chatLine } from "./chat-lines.ts";
import type { BenchDatabase } from "./servers.ts";
import type { World } from "./world.ts";

/** Number of chat lines so far. */
let lines = 0;

/**
 * Inserts scheduled messages by all members of an organization, all due in one second, in one statement.
 * @param due UNIX seconds
 * @param enqueued whether the rows are marked as having delivery jobs
 * @returns their ids
 */
export async function scheduleRows(
  { db }: Pick<BenchDatabase, "db">,
  world: World,
  count: number,
  due: number,
  enqueued: boolean,
): Promise<number[]> {
  const clientId = await clientIdOf(db, "ZulipPython/0.9");
  const rows = chatRows(world, count);
  const written = await db.rows<{ id: number }>(
    `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
       rendered_content, client_id, deliver_at, alarmed_at, read_by_sender)
     SELECT $1, m.sender_id, m.recipient_id, m.channel_id, m.topic, m.content, '<p>' || m.content || '</p>', $2,
       to_timestamp($8), CASE WHEN $9 THEN now() END, false
     FROM unnest($3::int[], $4::int[], $5::int[], $6::text[], $7::text[])
       AS m (sender_id, recipient_id, channel_id, topic, content)
     RETURNING id`,
    [
      world.realmId,
      clientId,
      rows.map(({ senderId }) => senderId),
      rows.map(({ recipientId }) => recipientId),
      rows.map(({ channelId }) => channelId),
      rows.map(({ topic }) => topic),
      rows.map(({ content }) => content),
      due,
      enqueued,
    ],
  );
  return written.map(({ id }) => id);
}

/** Returns messages by all members to their channels, in rotation. A quarter of the topics are new in each burst. */
function chatRows({ channels }: World, count: number) {
  const burst = lines / count;
  return Array.from({ length: count }, (_, i) => {
    const n = lines++;
    const channel = channels[i % channels.length]!;
    const turn = Math.floor(i / channels.length);
    const sender = channel.members[turn % channel.members.length]!;
    const colleague = channel.members[(turn + 3) % channel.members.length]!;
    const topic = turn % 8 < 6 ? `topic ${turn % 8}` : `topic ${turn % 8} of ${Math.floor(burst)}`;
    return {
      senderId: sender.id,
      recipientId: channel.recipientId,
      channelId: channel.id,
      topic,
      content: chatLine(n, colleague.name),
    };
  });
}
