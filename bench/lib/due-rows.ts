import { clientIdOf } from "@carillon/model";
import { chatRows } from "./burst.ts";
import type { BenchDatabase } from "./servers.ts";
import type { World } from "./world.ts";

const slice = 5_000;

/**
 * Schedules messages of everybody in an organization for one second, as requests would have left them: with their alarms
 * noted as set, of which none is.
 * @param due UNIX seconds
 * @returns the first and the last of their ids
 */
export async function writeDueRows(
  { db }: BenchDatabase,
  world: World,
  count: number,
  due: number,
): Promise<{ first: number; last: number }> {
  const clientId = await clientIdOf(db, "ZulipPython/0.9");
  const ids: number[] = [];
  for (let from = 0; from < count; from += slice) {
    const rows = chatRows(world, Math.min(slice, count - from));
    const written = await db.rows<{ id: number }>(
      `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
         rendered_content, client_id, deliver_at, alarmed_at, read_by_sender)
       SELECT $1, m.sender_id, m.recipient_id, m.channel_id, m.topic, m.content, '<p>' || m.content || '</p>', $2,
         to_timestamp($8), now(), false
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
      ],
    );
    for (const { id } of written) ids.push(id);
  }
  return { first: ids[0] ?? 0, last: ids.at(-1) ?? 0 };
}

/** How many of them are still to be sent. */
export async function pendingOf({ db }: BenchDatabase, world: World): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    "SELECT count(*)::int AS n FROM scheduled_messages WHERE realm_id = $1 AND NOT delivered AND NOT failed",
    [world.realmId],
  );
  return row?.n ?? 0;
}
