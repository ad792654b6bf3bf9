import {
  askWithKey,
  bot,
  clientOf,
  countWaiting,
  type KeyedAsk,
  replayed,
  reservePort,
  waitFor,
  type Answer,
  type OwnServer,
  type QueueBackend,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { keepRunning } from "./support/keep-running.ts";
import { crowd, type Crowd } from "./support/load.ts";
import { gate } from "./support/blockers.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, inWorldWithPostgres, type World } from "./support/world.ts";

/** Keys of the test with two gateways, and requests with each of them at each gateway; in full 200 and 50. */
const keysAtOnce = Number(process.env["CARILLON_TEST_KEYS"] ?? 40);
const requestsAtOnce = Number(process.env["CARILLON_TEST_REQUESTS"] ?? 20);
/** Clients that send while PostgreSQL is restarted. */
const clients = 8;

onBothBackends("Requests with an Idempotency-Key", scenarioMs, {
  "and webhooks are carried out once when their gateway is killed before, during or after the COMMIT":
    killed,
  "are carried out once when PostgreSQL is restarted during COMMITs": (backend) =>
    inWorldWithPostgres(backend, underLoad),
  "are carried out once when two gateways get many equal ones": (backend) =>
    inWorld(backend, atOnce),
  "are answered 409 while a frozen gateway holds their key, and succeed when its transaction has ended":
    (backend) => inWorld(backend, frozen),
});

/** A request, with the table and the content of the rows that it makes. */
interface KeyedRequest extends KeyedAsk {
  readonly table: string;
  readonly content: string;
  /** How many; 1 unless given. */
  readonly rows?: number;
  /** The bot that a webhook is for. Its answer does not tell whether it is a stored one (bot-platform.md §1.1). */
  readonly bot?: TestAccount;
}

/** Requests of three operations, which share a commit, are one transaction, and record jobs. */
function requests(people: Crowd, content: string): KeyedRequest[] {
  const to = people.channels[0]?.id;
  const message = { type: "channel", to, topic: "keys", content };
  const drafts = [{ type: "stream", to: [to], topic: "keys", content }];
  const dueAt = Math.floor(Date.now() / 1_000) + 3_600;
  return [
    { path: "/api/v1/messages", params: message, key: `m-${content}`, content, table: "messages" },
    { path: "/api/v1/drafts", params: { drafts }, key: `d-${content}`, content, table: "drafts" },
    {
      path: "/api/v1/scheduled_messages",
      params: { ...message, scheduled_delivery_timestamp: dueAt },
      key: `s-${content}`,
      content,
      table: "scheduled_messages",
    },
  ];
}

/** Webhooks whose messages share a commit, and are sent in one transaction. */
function webhooks(people: Crowd, bot: TestAccount, content: string): KeyedRequest[] {
  const stream = people.channels[0]?.id;
  const alerts = ["one", "two"].map((instance) => ({
    status: "firing",
    labels: { alertname: content, instance },
  }));
  const common = { table: "messages", bot };
  return [
    {
      ...common,
      path: "/api/v1/external/text",
      params: { stream, content: `hook ${content}` },
      key: `t-${content}`,
      content: `hook ${content}`,
    },
    {
      ...common,
      path: "/api/v1/external/alertmanager",
      params: { stream, payload: { alerts } },
      key: `a-${content}`,
      content: `🚨 **Firing:** ${content}`,
      rows: alerts.length,
    },
  ];
}

/** Sends the request, as a client does that gets no answer: undefined then. */
function ask(url: string, people: Crowd, asked: KeyedRequest): Promise<Answer | undefined> {
  const sender = asked.bot ?? people.senders[0];
  if (!sender) throw new Error("nobody is there");
  return askWithKey(clientOf(url, sender), asked).catch(() => undefined);
}

/** Whether a client repeats the request after this answer, by the rule for clients (once-and-again.md §1). */
const isRepeated = (answer: Answer | undefined) =>
  !answer || answer.status === 409 || answer.status >= 500;

/** Repeats the request with the same key until it succeeds. */
async function untilDone(url: string, people: Crowd, asked: KeyedRequest): Promise<Answer> {
  const answer = await waitFor(
    async () => {
      const one = await ask(url, people, asked);
      return one && !isRepeated(one) ? one : undefined;
    },
    { what: "a repeat succeeds", timeoutMs: waitTimeoutMs, everyMs: 100 },
  );
  expect(answer.status, answer.text).to.equal(200);
  return answer;
}

/**
 * Repeats the request until it succeeds, or until `ended`, because on a busy machine a blocked request may meet its
 * deadline before the last one is blocked. Returns the last answer.
 */
async function untilEnded(
  url: string,
  people: Crowd,
  asked: KeyedRequest,
  ended: () => boolean,
): Promise<Answer | undefined> {
  const { answer } = await waitFor(
    async () => {
      const one = await ask(url, people, asked);
      return ended() || !isRepeated(one) ? { answer: one } : undefined;
    },
    { what: "the gateway has ended", timeoutMs: scenarioMs, everyMs: 100 },
  );
  return answer;
}

/**
 * Lets a gateway load what it loads at first use. On a busy machine that takes so long that a request whose statement is
 * blocked meets its deadline before the last one is blocked.
 */
async function warmUp(url: string, people: Crowd, asked: readonly KeyedRequest[]): Promise<void> {
  await Promise.all(asked.map((one) => untilDone(url, people, one)));
}

async function rowsOf({ db }: World, table: string, content: string): Promise<number> {
  const rows = await db.rows(`SELECT FROM ${table} WHERE content = $1`, [content]);
  return rows.length;
}

async function killed(backend: QueueBackend): Promise<void> {
  await inWorld(backend, async (world) => {
    const people = await crowd(world.db);
    const hook = await bot(world.db, people.org.owner, { botType: 2 });
    const other = await world.gateway({ RATE_LIMITS: "off" });
    for (const point of ["before", "during", "after"] as const) {
      const doomed = await world.gateway({ RATE_LIMITS: "off" });
      const all = (content: string) => [
        ...requests(people, content),
        ...webhooks(people, hook, content),
      ];
      await warmUp(doomed.url, people, all(`first-${point}`));
      const asked = all(point);
      // The answer is inserted in the round trip of the COMMIT.
      const blocked = {
        before: [...new Set(asked.map(({ table }) => `INSERT ON ${table}`))],
        during: ["INSERT ON idempotency_keys"],
        after: [],
      };
      const gates = await Promise.all(blocked[point].map((insert) => gate(world.db, insert)));
      let isKilled = false;
      const unanswered = asked.map((one) => untilEnded(doomed.url, people, one, () => isKilled));
      await waitFor(
        () => (point === "after" ? areStored(world, asked) : areBlocked(world, asked)),
        {
          what: `all are ${point} their COMMIT`,
          timeoutMs: waitTimeoutMs,
        },
      );
      isKilled = true;
      await doomed.kill();
      await Promise.all(unanswered);
      // Before the COMMIT the server notices that its client is gone. A COMMIT that it has received may be carried out.
      for (const one of gates) await (point === "before" ? one.drop() : one.open());
      for (const one of asked) {
        const first = await untilDone(other.url, people, one);
        const what = `${point} ${one.path}`;
        if (point !== "during" && !one.bot)
          expect(replayed(first), what).to.equal(String(point === "after"));
        const again = await untilDone(other.url, people, one);
        expect(replayed(again)).to.equal(one.bot ? null : "true");
        expect(again.text).to.equal(first.text);
        expect(await rowsOf(world, one.table, one.content), what).to.equal(one.rows ?? 1);
      }
    }
  });
}

/** Whether all are carried out. */
async function areStored(world: World, asked: readonly KeyedRequest[]): Promise<boolean> {
  const rows = await Promise.all(asked.map(({ table, content }) => rowsOf(world, table, content)));
  return rows.every((count, i) => count === (asked[i]?.rows ?? 1));
}

/** Whether as many connections wait for locks as there are requests. */
async function areBlocked({ db }: World, asked: readonly KeyedAsk[]): Promise<boolean> {
  return (await countWaiting(db.pool)) >= asked.length;
}

async function atOnce(world: World): Promise<void> {
  const people = await crowd(world.db);
  const variables = { RATE_LIMITS: "off" };
  const gateways = await Promise.all([world.gateway(variables), world.gateway(variables)]);
  for (let n = 0; n < keysAtOnce; n++) {
    const [message] = requests(people, `at-once-${n}`);
    if (!message) throw new Error("there is nothing to ask");
    const answers = await Promise.all(
      gateways.flatMap(({ url }) =>
        Array.from({ length: requestsAtOnce }, () => ask(url, people, message)),
      ),
    );
    const ids = new Set<unknown>();
    let first = 0;
    for (const answer of answers) {
      if (answer?.status === 409) continue;
      expect(answer?.status, answer?.text).to.equal(200);
      ids.add(answer?.body["id"]);
      if (answer && replayed(answer) === "false") first++;
    }
    expect({ ids: ids.size, first }, message.key).to.deep.equal({ ids: 1, first: 1 });
    expect(await rowsOf(world, "messages", `at-once-${n}`), message.key).to.equal(1);
  }
}

async function frozen(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  // Longer than any pause of the test; a test of the pool checks that it is ten seconds.
  const patient = new URL(db.url);
  patient.searchParams.set("idle_in_transaction_session_timeout", "600000");
  const stopped = await world.gateway({ DATABASE_URL: patient.href });
  const other = await world.gateway();
  for (const [i, { url }] of [stopped, other].entries())
    await warmUp(url, people, requests(people, `first-${i}`));
  const asked = requests(people, "frozen");
  const gates = await Promise.all(asked.map(({ table }) => gate(db, `INSERT ON ${table}`)));
  let isFrozen = false;
  const unanswered = asked.map((one) => untilEnded(stopped.url, people, one, () => isFrozen));
  await waitFor(
    async () => (await Promise.all(gates.map((one) => one.waiting()))).every((n) => n === 1),
    { what: "all are under way", timeoutMs: waitTimeoutMs },
  );
  isFrozen = true;
  stopped.signal("SIGSTOP");
  await Promise.all(gates.map((one) => one.open()));
  const refusals = await Promise.all(asked.map((one) => ask(other.url, people, one)));
  for (const refusal of refusals) {
    expect(refusal?.status, refusal?.text).to.equal(409);
    expect(refusal?.body["code"]).to.equal("IDEMPOTENCY_KEY_IN_USE");
    expect(refusal?.headers.get("Retry-After")).to.equal("1");
  }
  // Ends idle transactions, as the server does after a while. On a busy machine one may still run its statement: this
  // repeats until all have ended.
  let ended = 0;
  const allEnded = async () => {
    const idle = await db.rows(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    ended += idle.length;
    return ended >= asked.length;
  };
  await waitFor(allEnded, { what: "the transactions are ended", timeoutMs: waitTimeoutMs });
  for (const one of asked) {
    expect(replayed(await untilDone(other.url, people, one))).to.equal("false");
    expect(await rowsOf(world, one.table, "frozen")).to.equal(1);
  }
  stopped.signal("SIGCONT");
  const late = await Promise.all(unanswered);
  for (const [i, one] of asked.entries()) {
    expect(late[i]?.status ?? 503, "a request whose transaction was ended").to.equal(503);
    expect(await rowsOf(world, one.table, "frozen")).to.equal(1);
  }
}

async function underLoad(world: World, server: OwnServer): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const gateway = keepRunning(() => world.startGateway({ PORT: String(port), RATE_LIMITS: "off" }));
  const done = new Map<string, unknown>();
  let unanswered = 0;
  let stopping = false;
  const send = async (client: number) => {
    for (let n = 0; !stopping; n++) {
      const label = `${client}-${n}`;
      const [message] = requests(people, label);
      if (!message) throw new Error("there is nothing to ask");
      const first = await ask(url, people, message);
      if (first?.status !== 200) unanswered++;
      const answer = first?.status === 200 ? first : await untilDone(url, people, message);
      done.set(label, answer.body["id"]);
    }
  };
  const sending = Array.from({ length: clients }, (_, i) => send(i));
  const goesOn = async () => {
    const earlier = done.size;
    await waitFor(() => done.size > earlier + 5 * clients, {
      what: "requests succeed",
      timeoutMs: waitTimeoutMs,
    });
  };
  try {
    await goesOn();
    for (const signal of ["SIGINT", "SIGQUIT"] as const) {
      const before = unanswered;
      await server.stop(signal);
      await waitFor(() => unanswered > before, { what: "requests are broken off" });
      await server.start();
      await goesOn();
    }
    stopping = true;
    await Promise.all(sending);
  } finally {
    stopping = true;
    await gateway.stop();
  }
  const rows = await db.rows<{ id: number; content: string }>(
    "SELECT id, content FROM messages WHERE topic = 'keys'",
  );
  expect(rows.length, "messages").to.equal(done.size);
  for (const { id, content } of rows) expect(id, content).to.equal(done.get(content));
}
