import type { Database } from "@carillon/db";
import { startLoader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";

// Measures how much 10,000 alert words slow down sending in an organization, compared with an organization that has
// none. Alternates between the organizations.
const words = 10_000;
const rounds = Number(process.argv[2] ?? 9);
const seconds = 4;
const inFlight = 8;
const times = 1.2;

const database = await createBenchDatabase("postgres");
const { db } = database;
const organizations = {
  none: await createWorld(db, 20, 10),
  unmatched: await createWorld(db, 20, 10),
  matched: await createWorld(db, 20, 10),
};
for (const { members } of [organizations.unmatched, organizations.matched])
  await addWords(db, members, words / members.length);
// Every chat line contains this word, so each message alerts one member of its channel.
await addWords(
  db,
  organizations.matched.channels.map(({ members }) => members[1]!),
  1,
  "the",
);
await db.rows("VACUUM ANALYZE");
const gateway = await startGateway(database);
const loader = await startLoader();
const rates = { none: [] as number[], unmatched: [] as number[], matched: [] as number[] };
const names = Object.keys(rates) as Array<keyof typeof rates>;
// The first round is a warm-up.
for (let round = 0; round <= rounds; round++)
  for (const name of names) {
    const rate = await send(organizations[name]);
    say(`${name}: ${rate.toFixed(0)}/s`);
    if (round > 0) rates[name].push(rate);
  }
await loader.stop();
await gateway.stop();
const alerted = await alertedMessages();
await report("alert-words", [
  row("none of them in a message", rates.unmatched),
  row(`each message alerts a subscriber (${alerted.toLocaleString("en")} did)`, rates.matched),
]);
await database.drop();
process.exit(0);

async function send(world: World): Promise<number> {
  const requests = Array.from({ length: 2_000 }, (_, n) => sendRequest(world, n));
  const load = { port: gateway.port, seconds, connections: inFlight, requests };
  return (await loader.run(load)).rate;
}

/** Returns the ratio of the times per message, the inverse of the rates. */
function row(what: string, own: readonly number[]): Row {
  const ratio = medianRatio(rates.none, own);
  return {
    question: `POST /messages, ${inFlight} in flight, to an organization with ${words.toLocaleString("en")} alert words against one with none, ${what}: cost of a message`,
    value: `${ratio.toFixed(2)} × (${spread(rates.none)} messages/s against ${spread(own)})`,
    target: `at most ${times} ×`,
    holds: ratio <= times,
  };
}

/**
 * Gives each member `each` alert words.
 * @param word the word of all members; by default, each member gets different ones, a third of them of two words
 */
async function addWords(
  sql: Database,
  members: ReadonlyArray<{ readonly id: number }>,
  each: number,
  word?: string,
): Promise<void> {
  const ids = members.map(({ id }) => id);
  await sql.rows(
    `INSERT INTO alert_words (realm_id, user_id, word, word_lower)
     SELECT u.realm_id, u.id, word, word
     FROM users u, generate_series(1, $2::int) AS n,
       LATERAL (SELECT coalesce($3, CASE WHEN n % 3 = 0 THEN 'project ' ELSE '' END || 'w' || u.id || 'x' || n) AS word) w
     WHERE u.id = ANY($1)`,
    [ids, each, word ?? null],
  );
  await sql.rows(
    `INSERT INTO alert_word_owners (user_id, realm_id, words)
     SELECT id, realm_id, (SELECT count(*) FROM alert_words w WHERE w.user_id = u.id) FROM users u WHERE id = ANY($1)
     ON CONFLICT (user_id) DO UPDATE SET version = EXCLUDED.version, words = EXCLUDED.words`,
    [ids],
  );
}

/** Counts the messages that alerted a member, which proves that the gateway searched for alert words. */
async function alertedMessages(): Promise<number> {
  const [count] = await db.rows<{ count: number }>(
    "SELECT count(DISTINCT message_id)::int AS count FROM user_messages WHERE flags & 64 <> 0",
  );
  return count?.count ?? 0;
}
