import { insertChannel } from "@carillon/domain";
import { defaultGroups, groupIds, loadSystemGroups, subscribe } from "@carillon/model";
import { channelPermissions } from "@carillon/contract";
import { addCrowd } from "./lib/crowd.ts";
import { ask } from "./lib/http.ts";
import { registerQueues, startPolls } from "./lib/polls.ts";
import { report, say, type Row } from "./lib/report.ts";
import { subscribeRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { settledMemory, settling } from "./lib/settle.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { watch, watchable } from "./lib/watched-process.ts";
import { createWorld, type Member } from "./lib/world.ts";

// Measures one request that subscribes 5,000 accounts, while some of them and some other accounts poll.
const people = 5_000;
const polling = 200;
const rounds = 7;
const limits = { times: 5, heldMs: 50, megabytes: 40 };

const kinds = ["public", "private"] as const;
type Kind = (typeof kinds)[number];

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, 1, 10);
const channel = world.channels[0]!;
const actor = channel.members[0]!;
const crowd = await addCrowd(db, world, channel, people + polling);
const groups = groupIds(
  defaultGroups(channelPermissions, await loadSystemGroups(db, world.realmId)),
);
const gateway = await startGateway(database, [...settling, ...watchable]);
const polls = await startPolls();
const subscribed = crowd.slice(0, people);
const ids = subscribed.map(({ id }) => id);
const types = ["stream", "subscription"];
/**
 * The accounts that poll: new subscribers only, or half of them other accounts, who see a public channel's events, too.
 */
const pollers: Readonly<Record<Kind, readonly Member[]>> = {
  public: [...subscribed.slice(0, polling), ...crowd.slice(people)],
  private: subscribed.slice(0, 2 * polling),
};
await db.rows("VACUUM ANALYZE");
const rows: Row[] = [];
for (const kind of kinds) rows.push(...(await measure(kind)));
await report("subscribing", rows);
await polls.stop();
await gateway.stop();
await database.drop();
process.exit(0);

async function measure(kind: Kind): Promise<Row[]> {
  const ours: number[] = [];
  const bare: number[] = [];
  const held: number[] = [];
  const busy: number[] = [];
  const more: number[] = [];
  const queues = await registerQueues(gateway.port, pollers[kind], types);
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    await polls.open(gateway.port, queues);
    await settledMemory(gateway);
    const name = `${kind} ${round}`;
    await addChannel(kind, name);
    const watched = watch(gateway);
    const request = subscribeRequest(actor, name, ids);
    const [took, answer] = await timed(() => ask<{ subscribed: object }>(gateway.port, request));
    if (Object.keys(answer.subscribed).length !== people) throw new Error("not all are subscribed");
    await polls.answered();
    const { heldMs, busyMs, rest, peak } = await watched();
    await polls.hangUp();
    const other = await addChannel(kind, `${name}, bare`);
    const [least] = await timed(() =>
      db.transaction((tx) =>
        tx.rows(
          "INSERT INTO subscriptions (channel_id, user_id, color) SELECT $1, unnest($2::int[]), '#2f8fc4'",
          [other, ids],
        ),
      ),
    );
    say(
      `${name}: ${took.toFixed(0)} ms, a bare INSERT ${least.toFixed(0)} ms; the event loop held for ${heldMs.toFixed(0)} ms (${busyMs.toFixed(0)} ms of processor time), ${megabytes(rest)} at rest, ${megabytes(peak)} at most`,
    );
    if (round === 0) continue;
    ours.push(took);
    bare.push(least);
    held.push(heldMs);
    busy.push(busyMs);
    more.push((peak - rest) / 2 ** 20);
  }
  const ratio = medianRatio(ours, bare);
  const what = `subscribing ${people.toLocaleString("en")} people to a ${kind} channel in one request, ${2 * polling} open polls of people who get its events`;
  return [
    {
      question: `${what}: until the answer, against a bare INSERT of the same rows in its own transaction`,
      value: `${ratio.toFixed(2)} × (ms: ${spread(ours)} against ${spread(bare)})`,
      target: `at most ${limits.times} ×`,
      holds: ratio <= limits.times,
    },
    {
      question: `${what}: the longest that the gateway's event loop was held (monitorEventLoopDelay), until all polls were answered`,
      value: `${spread(held)} ms (processor time between two samples: ${spread(busy)} ms)`,
      target: `never over ${limits.heldMs} ms`,
      holds: Math.max(...held) <= limits.heldMs,
    },
    {
      question: `${what}: the most memory of the gateway (RSS) until then, beyond that at rest after its garbage was collected`,
      value: `${spread(more)} MB`,
      target: `at most ${limits.megabytes} MB`,
      holds: Math.max(...more) <= limits.megabytes,
    },
  ];
}

/** Creates a channel with the actor as its only subscriber. */
async function addChannel(kind: Kind, name: string): Promise<number> {
  return db.transaction(async (tx) => {
    const inviteOnly = kind === "private";
    const made = await insertChannel(tx, world.realmId, {
      name,
      creatorId: actor.id,
      inviteOnly,
      groups,
    });
    await subscribe(tx, [{ channelId: made!.id }], [actor.id]);
    return made!.id;
  });
}

async function timed<T>(work: () => Promise<T>): Promise<[milliseconds: number, result: T]> {
  const startedAt = performance.now();
  const result = await work();
  return [performance.now() - startedAt, result];
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
