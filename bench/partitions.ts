import type { Database } from "@carillon/db";
import pg from "pg";
import { report, say, type Row } from "./lib/report.ts";
import { createBenchDatabase, type BenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";

// Compares `messages` and `user_messages` as they are with the same tables in partitions by ranges of message ids: sizes,
// sending, reading, locks and removal. Usage: `npm run bench -- partitions [MILLIONS]`, the number of copies. Decision 84 used 10.
const millions = Number(process.argv[2] ?? 3);
const receivers = 30;
const channels = 66;
const messages = Math.round((millions * 1e6) / receivers);
const counts = [12, 120];
const chunk = 20_000;
const rounds = 7;
const calls = 20;

/** Tables to compare, with a connection. `next` is the id of the next message. */
interface Side {
  readonly database: BenchDatabase;
  readonly client: pg.Client;
  readonly name: string;
  next: number;
}

/** One of Carillon's statements, reduced to the tables that would have partitions. */
interface Question {
  readonly name: string;
  readonly text: string;
  readonly values: (n: number) => unknown[];
}

const userOf = (n: number) => 1 + ((n * 613) % (channels * receivers));
const recipientOf = (n: number) => 1 + Math.floor((userOf(n) - 1) / receivers);
const ownIds = (n: number, many: number, first: number) =>
  Array.from({ length: many }, (_, k) => (first - k) * channels + recipientOf(n) - 1);
const newestPlace = Math.floor(messages / channels) - 1;
const oldPlace = (n: number) => newestPlace - ((n * 389) % Math.ceil(newestPlace / 2));
const copyOf = `CROSS JOIN LATERAL (
  SELECT FROM user_messages um WHERE um.user_id = $1::int AND um.message_id = m.id OFFSET 0) um`;
const messageOf = `CROSS JOIN LATERAL (
  SELECT FROM messages m WHERE m.id = um.message_id AND m.realm_id = 1 OFFSET 0) m`;

const questions: readonly Question[] = [
  {
    name: "the account's newest message (register)",
    text: "SELECT max(message_id) FROM user_messages WHERE user_id = $1",
    values: (n) => [userOf(n)],
  },
  {
    name: "all unread messages of an account (register)",
    text: `SELECT message_id, flags FROM user_messages WHERE user_id = $1 AND flags & 1 = 0
      ORDER BY message_id DESC LIMIT 50000`,
    values: (n) => [userOf(n)],
  },
  {
    name: "the 100 newest of all messages",
    text: `SELECT um.message_id FROM user_messages um ${messageOf}
      WHERE um.user_id = $1 AND um.message_id < $2 ORDER BY um.message_id DESC LIMIT 100`,
    values: (n) => [userOf(n), messages],
  },
  {
    name: "100 old messages of a channel",
    text: `SELECT m.id FROM messages m ${copyOf}
      WHERE m.recipient_id = $2 AND m.id < $3 ORDER BY m.id DESC LIMIT 100`,
    values: (n) => [userOf(n), recipientOf(n), oldPlace(n) * channels],
  },
  {
    name: "all messages of a topic",
    text: `SELECT m.id FROM messages m ${copyOf}
      WHERE m.recipient_id = $2 AND lower(m.topic) = $3 AND m.is_channel AND m.id < $4 ORDER BY m.id DESC LIMIT 100`,
    values: (n) => [userOf(n), recipientOf(n), `topic ${n % 60}`, messages],
  },
  {
    name: "starred messages",
    text: `SELECT um.message_id FROM user_messages um ${messageOf}
      WHERE um.user_id = $1 AND flags & 2 <> 0 AND um.message_id < $2 ORDER BY um.message_id DESC LIMIT 100`,
    values: (n) => [userOf(n), messages],
  },
  {
    name: "flags of 100 new messages",
    text: "SELECT message_id, flags FROM user_messages WHERE user_id = $1 AND message_id = ANY($2::bigint[])",
    values: (n) => [userOf(n), ownIds(n, 100, newestPlace)],
  },
  {
    name: "100 new messages by id",
    text: "SELECT * FROM messages WHERE id = ANY($1::bigint[])",
    values: (n) => [ownIds(n, 100, newestPlace)],
  },
  {
    name: "marking 100 new messages as read",
    text: "UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1 AND message_id = ANY($2::bigint[])",
    values: (n) => [userOf(n), ownIds(n, 100, newestPlace)],
  },
  {
    name: "the newest with a rare word",
    text: `WITH found AS MATERIALIZED (SELECT id FROM messages WHERE search @@ to_tsquery('simple', $2))
      SELECT m.id FROM found m ${copyOf} ORDER BY m.id DESC LIMIT 100`,
    values: (n) => [userOf(n), `word${(n * 613) % 20_000}`],
  },
];

const rows: Row[] = [];
const plain = await fill("the plain tables", 0);
const plainSize = await sizes(plain);
rows.push(await bytesOfCopy(plain));
for (const count of counts) {
  const parted = await fill(`${count} partitions`, count);
  await compare(parted, count);
  await parted.client.end();
  await parted.database.drop();
}
rows.push(...(await removalOfTenth(plain, counts[0]!)));
await report("partitions", rows);
await plain.client.end();
await plain.database.drop();
process.exit(0);

/** Creates the tables with all indexes, and fills them in the order in which messages are sent. */
async function fill(name: string, partitions: number): Promise<Side> {
  const database = await createBenchDatabase("postgres");
  const { db } = database;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  if (partitions > 0) {
    await partition(client, "messages", "id", partitions);
    await partition(client, "user_messages", "message_id", partitions);
  }
  await client.query("SET synchronous_commit = off");
  for (let from = 1; from <= messages; from += chunk) {
    const to = Math.min(messages, from + chunk - 1);
    await insertMessages(client, from, to);
    await insertCopies(client, from, to);
  }
  await client.query("RESET synchronous_commit");
  await db.rows("VACUUM ANALYZE messages");
  await db.rows("VACUUM ANALYZE user_messages");
  await db.rows("CHECKPOINT");
  const size = await sizes({ client });
  say(`${name}: ${messages} messages and ${messages * receivers} copies created, ${size.shown}`);
  return { database, client, name, next: messages + 1 };
}

/**
 * Replaces a table by one with partitions of equal numbers of ids, and one more partition for new messages. Leaves out unique
 * indexes that do not contain the id: a partitioned table cannot have them.
 */
async function partition(client: pg.Client, table: string, key: string, count: number) {
  const { rows: indexes } = await client.query<{ definition: string }>(
    `SELECT indexdef AS definition FROM pg_indexes WHERE schemaname = 'public' AND tablename = $1`,
    [table],
  );
  await client.query(`ALTER TABLE ${table} RENAME TO former_${table}`);
  await client.query(
    `CREATE TABLE ${table} (LIKE former_${table} INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (${key})`,
  );
  await client.query(`ALTER SEQUENCE IF EXISTS ${table}_id_seq OWNED BY NONE`);
  await client.query(`DROP TABLE former_${table}`);
  for (const { definition } of indexes)
    if (!/UNIQUE INDEX \w+_(scheduled_message_id|outgoing_call_id)_key/.test(definition))
      await client.query(definition);
  const each = Math.ceil(messages / count);
  for (let n = 0; n <= count; n++) {
    const to = n === count ? "MAXVALUE" : String((n + 1) * each + 1);
    await client.query(
      `CREATE TABLE ${table}_${n} PARTITION OF ${table} FOR VALUES FROM (${n === 0 ? "MINVALUE" : n * each + 1}) TO (${to})`,
    );
  }
}

function insertMessages(client: pg.Client, from: number, to: number) {
  return client.query({
    name: "messages",
    text: `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
        render_version, client_id, search)
      SELECT i, 1, 1 + i * 7919 % ${channels * receivers}, 1 + i % ${channels}, true, 'topic ' || i / ${channels} % 60,
        words, '<p>' || words || '</p>', 1, 1, to_tsvector('simple', words)
      FROM generate_series($1::bigint, $2::bigint) i CROSS JOIN LATERAL (
        SELECT string_agg('word' || abs(hashint8(i * 31 + n)) % 20000, ' ') AS words FROM generate_series(1, 20) n) t`,
    values: [from, to],
  });
}

/** One copy in twenty is unread, one in a hundred starred, one in a hundred a mention, spread over the whole history. */
function insertCopies(client: pg.Client, from: number, to: number) {
  return client.query({
    name: "copies",
    text: `INSERT INTO user_messages (user_id, message_id, flags)
      SELECT 1 + i % ${channels} * ${receivers} + n, i, (CASE WHEN h % 20 = 0 THEN 0 ELSE 1 END)
        | (CASE WHEN h % 100 = 7 THEN 2 WHEN h % 100 = 8 THEN 8 ELSE 0 END)
      FROM generate_series($1::bigint, $2::bigint) i CROSS JOIN generate_series(0, ${receivers - 1}) n
      CROSS JOIN LATERAL (SELECT abs(hashint8(i * 1000 + n)) AS h) t`,
    values: [from, to],
  });
}

interface Sizes {
  readonly shown: string;
  readonly heap: number;
  readonly indexes: number;
}

async function sizes({ client }: { readonly client: pg.Client }): Promise<Sizes> {
  const { rows: found } = await client.query<{ heap: number; indexes: number; relations: number }>(
    `SELECT sum(pg_table_size(c.oid))::float8 AS heap, sum(pg_indexes_size(c.oid))::float8 AS indexes FROM pg_class c
     WHERE c.relkind = 'r' AND c.relname ~ '^(user_)?messages(_\\d+)?$' AND c.relnamespace = 'public'::regnamespace`,
  );
  const { heap, indexes } = found[0]!;
  return {
    heap,
    indexes,
    shown: `${megabytes(heap)} of rows and ${megabytes(indexes)} of indexes`,
  };
}

async function compare(parted: Side, count: number): Promise<void> {
  const size = await sizes(parted);
  rows.push(
    row(
      `${count} partitions against the plain tables, ${millions} million copies: size`,
      `rows ${(size.heap / plainSize.heap).toFixed(2)} ×, indexes ${(size.indexes / plainSize.indexes).toFixed(2)} × (${size.shown} against ${plainSize.shown})`,
    ),
  );
  for (const many of [1, 200]) rows.push(await send(parted, many));
  for (const question of questions) rows.push(await ask(parted, question));
  rows.push(await vacuumAfterReading(parted));
}

async function bytesOfCopy({ client }: Side): Promise<Row> {
  const { rows: found } = await client.query<{ heap: number; all: number }>(
    `SELECT pg_table_size('user_messages')::float8 AS heap, pg_total_relation_size('user_messages')::float8 AS all`,
  );
  const copies = messages * receivers;
  const { heap, all } = found[0]!;
  return row(
    `a copy of ${millions} million, one in twenty unread`,
    `${(all / copies).toFixed(0)} bytes, of which ${((all - heap) / copies).toFixed(0)} in indexes`,
  );
}

/** Changes flags of the newest twelfth of the copies, which is one partition of twelve, and vacuums both sides alternately. */
async function vacuumAfterReading(parted: Side): Promise<Row> {
  const took = new Map([plain, parted].map((side) => [side, [] as number[]]));
  for (let round = 1; round <= 3; round++)
    for (const side of [plain, parted]) {
      await side.client.query(
        "UPDATE user_messages SET flags = flags # 1024 WHERE message_id > $1 AND message_id <= $2",
        [messages - Math.ceil(messages / 12), messages],
      );
      took.get(side)!.push(await seconds(side.database.db, "VACUUM user_messages"));
    }
  const [after, before] = [took.get(parted)!, took.get(plain)!];
  return row(
    `${parted.name} against the plain tables: VACUUM after the flags of the newest twelfth of the copies have changed`,
    `${medianRatio(after, before).toFixed(2)} × (s: ${spread(after, 1)} against ${spread(before, 1)})`,
  );
}

/** Inserts messages with their copies, alternately on both sides. */
async function send(parted: Side, many: number): Promise<Row> {
  const costs = new Map(
    [plain, parted].map((side) => [side, { ms: [] as number[], wal: [] as number[] }]),
  );
  for (let round = 0; round <= rounds; round++)
    for (const side of round % 2 ? [plain, parted] : [parted, plain]) {
      const calls = Math.max(2, 20 / many);
      const wal = await position(side.client);
      const startedAt = performance.now();
      for (let n = 0; n < calls; n++) {
        await side.client.query("BEGIN");
        await insertMessages(side.client, side.next, side.next + many - 1);
        await insertCopies(side.client, side.next, side.next + many - 1);
        await side.client.query("COMMIT");
        side.next += many;
      }
      if (round === 0) continue;
      costs.get(side)!.ms.push((performance.now() - startedAt) / calls);
      costs.get(side)!.wal.push(((await position(side.client)) - wal) / calls / many);
    }
  const [before, after] = [costs.get(plain)!, costs.get(parted)!];
  return row(
    `${parted.name} against the plain tables: inserting ${many} ${many === 1 ? "message" : "messages"} with ${receivers} copies each, in a transaction`,
    `${medianRatio(after.ms, before.ms).toFixed(2)} × (ms: ${spread(after.ms, 1)} against ${spread(before.ms, 1)}; WAL: ${median(after.wal).toFixed(0)} against ${median(before.wal).toFixed(0)} bytes a message)`,
  );
}

/** Runs a statement alternately on both sides, and counts the buffers and locks of one call. */
async function ask(parted: Side, question: Question): Promise<Row> {
  const costs = new Map([plain, parted].map((side) => [side, [] as number[]]));
  for (let round = 0; round <= rounds; round++)
    for (const side of round % 2 ? [plain, parted] : [parted, plain]) {
      await side.client.query("BEGIN");
      const startedAt = performance.now();
      for (let n = 0; n < calls; n++)
        await side.client.query({
          name: question.name.slice(0, 60),
          text: question.text,
          values: question.values(round * calls + n),
        });
      if (round > 0) costs.get(side)!.push((performance.now() - startedAt) / calls);
      await side.client.query("ROLLBACK");
    }
  const [before, after] = [await facts(plain, question), await facts(parted, question)];
  const [own, other] = [costs.get(parted)!, costs.get(plain)!];
  const ratio = medianRatio(own, other);
  return row(
    `${parted.name} against the plain tables: ${question.name}`,
    `${ratio.toFixed(2)} × (ms: ${spread(own, 2)} against ${spread(other, 2)}; planning ${after.planning.toFixed(2)} against ${before.planning.toFixed(2)} ms, buffers ${after.buffers} against ${before.buffers}, locks ${after.locks} against ${before.locks})`,
  );
}

interface Facts {
  /** Milliseconds, with a warm catalogue cache. */
  readonly planning: number;
  readonly buffers: number;
  /** Tables and indexes that the statement locks. */
  readonly locks: number;
}

interface Explained {
  readonly Plan: { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number };
  readonly "Planning Time": number;
}

async function facts({ client }: Side, { text, values }: Question): Promise<Facts> {
  const found: Facts[] = [];
  for (let n = 0; n < 7; n++) {
    await client.query("BEGIN");
    const { rows: plans } = await client.query<{ "QUERY PLAN": [Explained] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values(n),
    );
    const { rows: held } = await client.query<{ locks: number }>(
      `SELECT count(*)::int AS locks FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'
         AND relation > 16384`,
    );
    await client.query("ROLLBACK");
    const [explained] = plans[0]!["QUERY PLAN"];
    const { Plan: plan } = explained;
    found.push({
      planning: explained["Planning Time"],
      buffers: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
      locks: held[0]!.locks,
    });
  }
  const middle = (of: keyof Facts) => median(found.map((each) => each[of]));
  return { planning: middle("planning"), buffers: middle("buffers"), locks: middle("locks") };
}

/** Deletes the oldest tenth of the messages in batches, and vacuums. With partitions, one would be dropped instead. */
async function removalOfTenth({ client, database }: Side, count: number): Promise<Row[]> {
  const last = Math.floor(messages / 10);
  const wal = await position(client);
  const startedAt = performance.now();
  for (let from = 1; from <= last; from += 1_000) {
    const to = Math.min(last, from + 999);
    await client.query("DELETE FROM messages WHERE id BETWEEN $1 AND $2", [from, to]);
    await client.query(
      `DELETE FROM user_messages um USING generate_series(1, ${channels * receivers}) u (id)
       WHERE um.user_id = u.id AND um.message_id BETWEEN $1 AND $2`,
      [from, to],
    );
  }
  const deleted = (performance.now() - startedAt) / 1_000;
  const bytes = (await position(client)) - wal;
  const vacuumed = await seconds(database.db, "VACUUM messages", "VACUUM user_messages");
  return [
    row(
      `deleting the oldest tenth of the plain tables (${last} messages), which dropping partitions would save, of ${count}`,
      `${((deleted / last) * 1e6).toFixed(0)} µs a message with ${receivers} copies, ${(bytes / last).toFixed(0)} bytes of WAL; VACUUM afterwards: ${vacuumed.toFixed(1)} s`,
    ),
  ];
}

async function seconds(db: Database, ...statements: string[]): Promise<number> {
  const startedAt = performance.now();
  for (const statement of statements) await db.rows(statement);
  return (performance.now() - startedAt) / 1_000;
}

/** Returns the position of the write-ahead log in bytes. */
async function position(client: pg.Client): Promise<number> {
  const { rows: found } = await client.query<{ at: string }>(
    "SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS at",
  );
  return Number(found[0]!.at);
}

function row(question: string, value: string): Row {
  say(`${question}: ${value}`);
  return { question, value, target: "none", holds: true };
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
