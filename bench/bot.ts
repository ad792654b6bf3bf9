import { ask } from "./lib/http.ts";
import { report, say, type Row } from "./lib/report.ts";
import { credentials, formRequest, registerRequest } from "./lib/requests.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { median, quantile } from "./lib/statistics.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld, type Member } from "./lib/world.ts";

// Measures the time from a command to the scheduling bot until its answer, as a client sees it: from the POST to the
// poll that returns the answer.
const commands = Number(process.env["COMMANDS"] ?? 100);

const rows: Row[] = [];
for (const backend of backends) rows.push(await measure(backend));
await report("bot", rows);
process.exit(0);

async function measure(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const { db } = database;
  const world = await createWorld(db, 50, 10);
  const worker = await startWorker(database);
  const gateway = await startGateway(database);
  const [bot] = await db.rows<{ id: number }>(
    "SELECT id FROM users WHERE realm_id = $1 AND full_name = 'Scheduling Bot'",
    [world.realmId],
  );
  if (!bot) throw new Error("the organization has no scheduling bot");
  const times: number[] = [];
  // Several accounts send commands, because the number of series of an account is limited.
  for (let n = 0; n < commands; n++)
    times.push(await answerTime(gateway.port, world.members[n % 10]!, bot.id, commandOf(n)));
  await gateway.stop();
  await worker.stop();
  await database.drop();
  const p95 = quantile(times, 0.95);
  say(`${backend}: median ${(median(times) * 1_000).toFixed(0)} ms`);
  return {
    question: `a command to the scheduling bot, ${backend} queues: until its answer is received, one at a time, p95 of ${commands}`,
    value: `${(p95 * 1_000).toFixed(0)} ms (median ${(median(times) * 1_000).toFixed(0)}, worst ${(Math.max(...times) * 1_000).toFixed(0)})`,
    target: "within 1 s",
    holds: p95 <= 1,
  };
}

/** Returns command number `n`: half of them schedule a message, a quarter create a series, and a quarter are `list`. */
function commandOf(n: number): string {
  if (n % 4 === 1)
    return `every weekday at 9:00 to #channel 1 > standup ${n}: What do you do today?`;
  if (n % 4 === 3) return "list";
  return `tomorrow at 9:00 to #channel 1 > reminder ${n}: Bring cake.`;
}

interface Received {
  readonly events: ReadonlyArray<{
    readonly id: number;
    readonly type: string;
    readonly message?: { readonly sender_id: number; readonly content: string };
  }>;
}

/** Sends a command and polls until the bot answers. @returns seconds */
async function answerTime(
  port: number,
  member: Member,
  botId: number,
  content: string,
): Promise<number> {
  const { queue_id } = await ask<{ queue_id: string }>(port, registerRequest(member));
  const before = performance.now();
  await ask(
    port,
    formRequest(member, "/api/v1/messages", {
      type: "direct",
      to: JSON.stringify([botId]),
      content,
    }),
  );
  for (let last = -1; ;) {
    const { events } = await ask<Received>(port, {
      method: "GET",
      path: `/api/v1/events?queue_id=${queue_id}&last_event_id=${last}`,
      headers: { authorization: credentials(member) },
    });
    const answer = events.find(({ message }) => message?.sender_id === botId);
    if (answer) {
      const seconds = (performance.now() - before) / 1_000;
      const text = answer.message!.content;
      if (/not understand|cannot|must/.test(text)) throw new Error(`${content}: ${text}`);
      return seconds;
    }
    last = events.at(-1)?.id ?? last;
  }
}
