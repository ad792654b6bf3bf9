import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@carillon/db";
import { clientOf, inSeconds, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { withChance, type Chance } from "./support/chance.ts";
import { crowd, type Crowd } from "./support/load.ts";
import { slowMessages } from "./support/blockers.ts";
import { scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

const kills = 4;
const inFlight = 24;
/**
 * Milliseconds that writing one message takes, so a transaction of all requests in flight takes a tenth of a second.
 */
const writeMs = 4;

/** A request of a client, and the id in the answer if it got one. */
interface SentRequest {
  readonly content: string;
  readonly scheduled: boolean;
  answered?: number;
}

describe("A gateway killed while it commits a batch of requests", function () {
  this.timeout(scenarioMs);

  it("has written every answered request, and no request twice", () =>
    inWorld("postgres", (world) => withChance((chance) => killAgainAndAgain(world, chance))));
});

async function killAgainAndAgain(world: World, chance: Chance): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  await slowMessages(db, writeMs);
  const asked: SentRequest[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const gateway = await world.gateway({ RATE_LIMITS: "off" });
    const own: SentRequest[] = [];
    const clients = Array.from({ length: inFlight }, (_, i) =>
      keepAsking(gateway.url, people, i, own, `${kill}`),
    );
    await waitFor(() => own.filter(({ answered }) => answered !== undefined).length > inFlight, {
      what: "requests are answered",
    });
    await pause(chance.below(writeMs * inFlight));
    await gateway.kill();
    await Promise.all(clients);
    asked.push(...own);
  }
  await waitFor(async () => (await gatewaysLeft(db)) === 0, {
    what: "the server has noticed that they are gone",
  });
  await expectOnceOrNever(db, asked);
}

/** Sends and schedules messages in turn, until the gateway no longer answers. */
async function keepAsking(
  url: string,
  { senders, channels }: Crowd,
  place: number,
  asked: SentRequest[],
  label: string,
): Promise<void> {
  const sender = senders[place % senders.length];
  const channel = channels[0];
  if (!sender || !channel) throw new Error("nobody is there");
  const client = clientOf(url, { email: sender.deliveryEmail, apiKey: sender.apiKey });
  const scheduled = place % 4 === 0;
  for (let n = 0; ; n++) {
    const one: SentRequest = { content: `${label}-${place}-${n}`, scheduled };
    asked.push(one);
    const params = { type: "channel", to: channel.id, topic: "kill", content: one.content };
    const answer = await (
      scheduled
        ? client.post("/api/v1/scheduled_messages", {
            ...params,
            scheduled_delivery_timestamp: inSeconds(3_600),
          })
        : client.post("/api/v1/messages", params)
    ).catch(() => undefined);
    if (!answer) return;
    expect(answer.status, answer.text).to.equal(200);
    one.answered = Number(answer.body[scheduled ? "scheduled_message_id" : "id"]);
  }
}

async function gatewaysLeft(db: Database): Promise<number> {
  const rows = await db.rows(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'carillon gateway%'`,
  );
  return rows.length;
}

async function expectOnceOrNever(db: Database, asked: readonly SentRequest[]): Promise<void> {
  const rows = await db.rows<{ id: number; content: string; copies: number; events: number }>(
    `SELECT m.id, m.content,
       (SELECT count(*)::int FROM user_messages u WHERE u.message_id = m.id) AS copies,
       (SELECT count(*)::int FROM event_log e
        WHERE e.type = 'message' AND (e.payload->'message'->>'id')::bigint = m.id) AS events
     FROM messages m WHERE m.topic = 'kill'
     UNION ALL
     SELECT s.id, s.content, 6, (SELECT count(*)::int FROM event_log e WHERE e.type = 'scheduled_messages'
       AND (e.payload->'scheduled_messages'->0->>'scheduled_message_id')::bigint = s.id)
     FROM scheduled_messages s WHERE s.topic = 'kill'`,
  );
  const byContent = new Map(rows.map(({ id, content }) => [content, id]));
  expect(byContent.size, "none is there twice").to.equal(rows.length);
  for (const { content, answered } of asked)
    if (answered !== undefined) expect(byContent.get(content), content).to.equal(answered);
  const wanted = new Set(asked.map(({ content }) => content));
  for (const { content, copies, events } of rows) {
    expect(wanted.has(content), content).to.equal(true);
    expect({ copies, events }, content).to.deep.equal({ copies: 6, events: 1 });
  }
  const [shared] = await db.rows<{ most: number }>(
    `SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM messages WHERE topic = 'kill' GROUP BY sent_at) t`,
  );
  expect(shared?.most, "requests that shared a transaction").to.be.greaterThan(1);
}
