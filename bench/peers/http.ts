import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { secretsOf } from "@carillon/model";
import {
  createPostgresBackend,
  Queue,
  type BackendFactory,
  type JobsOptions,
  type RedisQueueBackend,
} from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";

// The minimal cost of scheduling a message: no checks, no rendering, no contract, no log.
const connectionString = process.env["DATABASE_URL"]!;
const redisUrl = process.env["REDIS_URL"];
const secrets = secretsOf(process.env["SECRET_KEY"]!);
const pool = new pg.Pool({ connectionString, max: 10 });
const enqueue = redisUrl ? await onRedis(redisUrl) : await onPostgres();

const server = createServer((request, response) => {
  void schedule(request).then(
    (id) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ result: "success", msg: "", scheduled_message_id: id }));
    },
    (error: unknown) => {
      console.error(error);
      response.statusCode = 500;
      response.end();
    },
  );
});
server.listen(0, "127.0.0.1", () => {
  console.log(`peer started on ${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));

const keyText = "SELECT id, realm_id FROM users WHERE api_key_digest = $1 AND is_active";
const rowText = `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
    rendered_content, client_id, deliver_at, read_by_sender)
  SELECT $1, $2, r.id, $3, $4, $5, $5, (SELECT min(id) FROM clients), to_timestamp($6), false
  FROM recipients r WHERE r.channel_id = $3 RETURNING id`;
const eventText = `WITH head AS (UPDATE event_head SET seq = seq + 1 WHERE realm_id = $1 RETURNING seq)
  INSERT INTO event_log (realm_id, seq, type, op, payload, audience)
  SELECT $1, seq, 'scheduled_messages', 'add', $2::jsonb, ARRAY[$3::int] FROM head`;

async function schedule(request: IncomingMessage): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const basic = Buffer.from(request.headers.authorization!.slice(6), "base64").toString();
  const key = basic.slice(basic.indexOf(":") + 1);
  const found = await pool.query<{ id: number; realm_id: number }>({
    name: "key",
    text: keyText,
    values: [secrets.digest(key)],
  });
  const user = found.rows[0]!;
  const deliverAt = Number(form.get("scheduled_delivery_timestamp"));
  const id = await write(user, form, deliverAt);
  await enqueue({ id }, { delay: deliverAt * 1_000 - Date.now() });
  return id;
}

/** Writes the row and its event in one transaction. */
async function write(
  user: { id: number; realm_id: number },
  form: URLSearchParams,
  deliverAt: number,
): Promise<number> {
  const [to, topic, content] = [form.get("to"), form.get("topic"), form.get("content")];
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query<{ id: string }>({
      name: "row",
      text: rowText,
      values: [user.realm_id, user.id, to, topic, content, deliverAt],
    });
    const id = Number(rows[0]!.id);
    const event = { scheduled_message_id: id, to, topic, content, deliverAt };
    await client.query({
      name: "event",
      text: eventText,
      values: [user.realm_id, JSON.stringify(event), user.id],
    });
    await client.query("COMMIT");
    return id;
  } finally {
    client.release();
  }
}

type Enqueue = (data: { id: number }, options: JobsOptions) => Promise<unknown>;

async function onRedis(url: string): Promise<Enqueue> {
  const queue = new Queue("peer-http", { connection: new Redis(url), prefix: "peer" });
  await queue.waitUntilReady();
  return (data, options) => queue.add("deliver", data, options);
}

async function onPostgres(): Promise<Enqueue> {
  const connection = new pg.Pool({
    connectionString,
    options: "-c search_path=bullmq",
    max: 4,
  });
  const queue = new Queue(
    "peer-http",
    { connection },
    // The type Queue assumes Redis unless all its type parameters are given.
    createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>,
  );
  await queue.waitUntilReady();
  return (data, options) => queue.add("deliver", data, options);
}
