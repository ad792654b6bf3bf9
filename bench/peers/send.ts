import type { IncomingMessage } from "node:http";
import { pool, serveBare, type Caller } from "./bare-server.ts";

// The minimal cost of sending a message to a channel: no checks, no rendering, no flags, no search, no policies.
const rowText = `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
    render_version, client_id)
  SELECT $1, $2, r.id, true, $4, $5, $5, 1, (SELECT min(id) FROM clients)
  FROM recipients r WHERE r.channel_id = $3 RETURNING id`;
const copiesText = `WITH made AS (
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT user_id, $2, 0 FROM subscriptions WHERE channel_id = $1 AND active RETURNING user_id)
  SELECT array_agg(user_id) AS audience FROM made`;
const eventText = `WITH head AS (UPDATE event_head SET seq = seq + 1 WHERE realm_id = $1 RETURNING seq)
  INSERT INTO event_log (realm_id, seq, type, payload, audience)
  SELECT $1, seq, 'message', $2::jsonb, $3::int[] FROM head`;

serveBare(async (caller, _url, request) => ({ id: await send(caller, await formOf(request)) }));

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

/** Writes the row, its copies and its event in one transaction. */
async function send(caller: Caller, form: URLSearchParams): Promise<number> {
  const [to, topic, content] = [form.get("to"), form.get("topic"), form.get("content")];
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query<{ id: string }>({
      name: "row",
      text: rowText,
      values: [caller.realm_id, caller.id, to, topic, content],
    });
    const id = Number(rows[0]!.id);
    const copies = await client.query<{ audience: number[] }>({
      name: "copies",
      text: copiesText,
      values: [to, id],
    });
    await client.query({
      name: "event",
      text: eventText,
      values: [
        caller.realm_id,
        JSON.stringify({ id, to, topic, content, sender: caller.id }),
        copies.rows[0]!.audience,
      ],
    });
    await client.query("COMMIT");
    return id;
  } finally {
    client.release();
  }
}
