import { ask } from "./lib/http.ts";
import { report, say, type Row } from "./lib/report.ts";
import { credentials } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { settledMemory, settling } from "./lib/settle.ts";
import { spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { watch, watchable } from "./lib/watched-process.ts";
import { createWorld, type Member } from "./lib/world.ts";

// Measures how long a request with ten million characters holds the event loop. `npm run bench -- bot-storage 1000000`
// runs the same bench with fewer characters.
const characters = Number(process.argv[2] ?? 10_000_000);
const rounds = 3;
const heldMs = 50;
const botCount = 8;
const megabytes = 400;
const path = "/api/v1/bot_storage";
const formType = "application/x-www-form-urlencoded";
const charactersText = characters.toLocaleString("en");

const database = await createBenchDatabase("postgres");
const { members } = await createWorld(database.db, 1, botCount + 1);
const [owner, ...bots] = members as [Member, ...Member[]];
await database.db.rows(
  "UPDATE users SET is_bot = true, bot_type = 1, bot_owner_id = $1 WHERE id = ANY($2)",
  [owner.id, bots.map(({ id }) => id)],
);
const gateway = await startGateway(database, [...watchable, ...settling]);
const rows: Row[] = [];
for (const { what, body, type } of cases()) rows.push(...(await measure(what, body, type)));
rows.push(await atOnce());
await gateway.stop();
await report("bot-storage", rows);
await database.drop();
process.exit(0);

interface Case {
  readonly what: string;
  readonly body: Buffer;
  readonly type?: string;
}

/** Generates one case at a time, because a body has up to a hundred megabytes. */
function* cases(): Generator<Case> {
  const value = (unit: string, times: number) =>
    `storage=%7B%22a%22:%22${unit.repeat(times)}%22%7D`;
  yield { what: "one value, letters", body: Buffer.from(value("x", characters - 1)) };
  yield {
    what: "one value, four-byte characters, percent-encoded",
    body: Buffer.from(value("%F0%9F%98%80", characters - 1)),
  };
  yield {
    what: "one value, each character an escape of JSON",
    body: Buffer.from(value("%5Cu0430", characters - 1)),
  };
  const part = '--b\r\nContent-Disposition: form-data; name="storage"\r\n\r\n';
  yield {
    what: "one value, three-byte characters, a part of a multipart form",
    body: Buffer.from(`${part}{"a":"${"✓".repeat(characters - 1)}"}\r\n--b--`),
    type: "multipart/form-data; boundary=b",
  };
  yield {
    what: "entries of 1,000 characters",
    body: entries(characters / 1_000, (n) => [`k${n}`.padStart(10, "k"), "v".repeat(990)]),
  };
  yield {
    what: `${(characters / 100).toLocaleString("en")} entries`,
    body: entries(characters / 100, (n) => [`${n}`.padStart(9, "k"), "v".repeat(91)]),
  };
}

function entries(count: number, entry: (n: number) => readonly [string, string]): Buffer {
  const all = Array.from({ length: count }, (_, n) => entry(n));
  return Buffer.from(`storage=${encodeURIComponent(JSON.stringify(Object.fromEntries(all)))}`);
}

async function measure(what: string, body: Buffer, type = formType): Promise<Row[]> {
  const bot = bots[0]!;
  const held = { put: [] as number[], get: [] as number[] };
  const took = { put: [] as number[], get: [] as number[] };
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    await send(bot, "DELETE");
    for (const name of ["put", "get"] as const) {
      await settledMemory(gateway);
      const watched = watch(gateway);
      const startedAt = performance.now();
      const bytes = name === "put" ? await send(bot, "PUT", body, type) : await send(bot, "GET");
      const ms = performance.now() - startedAt;
      const seen = await watched();
      say(
        `${what}, ${name}: held ${seen.heldMs.toFixed(0)} ms, busy ${seen.busyMs.toFixed(0)} ms, ${ms.toFixed(0)} ms in all, ${((seen.peak - seen.rest) / 2 ** 20).toFixed(0)} MB more, answer of ${bytes} bytes`,
      );
      if (round === 0) continue;
      held[name].push(seen.heldMs);
      took[name].push(ms / 1_000);
    }
  }
  return (["put", "get"] as const).map((name) => ({
    question: `${name === "put" ? "PUT" : "GET"} /bot_storage of ${charactersText} characters, ${what}: the longest that the gateway's event loop was held (monitorEventLoopDelay)`,
    value: `${spread(held[name])} ms (answered in ${spread(took[name], 1)} s)`,
    target: `never over ${heldMs} ms`,
    holds: Math.max(...held[name]) <= heldMs,
  }));
}

/** Measures the gateway's memory while all bots store the largest value at the same time, and then read it. */
async function atOnce(): Promise<Row> {
  const body = Buffer.from(`storage=%7B%22a%22:%22${"%F0%9F%98%80".repeat(characters - 1)}%22%7D`);
  await send(bots[0]!, "DELETE");
  await settledMemory(gateway);
  const watched = watch(gateway);
  await Promise.all(bots.map((bot) => send(bot, "PUT", body, formType)));
  await Promise.all(bots.map((bot) => send(bot, "GET")));
  const { heldMs: longest, rest, peak } = await watched();
  const more = (peak - rest) / 2 ** 20;
  return {
    question: `${botCount} bots that store ${charactersText} four-byte characters each at the same time, and then read them: the most memory of the gateway (RSS) beyond that at rest`,
    value: `${more.toFixed(0)} MB (the event loop was held for ${longest.toFixed(0)} ms at most)`,
    target: `at most ${megabytes} MB`,
    holds: more <= megabytes,
  };
}

/** Sends a request to `/bot_storage`. @returns bytes of the answer to a GET, else 0 */
async function send(bot: Member, method: string, body?: Buffer, type = formType): Promise<number> {
  const headers = {
    authorization: credentials(bot),
    ...(body && { "content-type": type }),
  };
  if (method !== "GET") {
    await ask(gateway.port, {
      path,
      method,
      headers,
      ...(body && { body: new Uint8Array(body) }),
    });
    return 0;
  }
  const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, { headers });
  if (!response.ok) throw new Error(await response.text());
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
  return bytes;
}
