import { lockClass } from "@carillon/db";
import { conversationKey } from "@carillon/domain";
import {
  calledWith,
  callsOf,
  channel,
  letCallsWait,
  mentionBot,
  organization,
  saidBy,
  waitFor,
  webhookBot,
  type EndpointCall,
  type OwnServer,
  type TestAccount,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import type { HeldLock } from "./support/blockers.ts";
import { onBothBackends } from "./support/both-backends.ts";
import { keepRunning } from "./support/keep-running.ts";
import { killWorkersAt, type Point } from "./support/kill-workers.ts";
import { scenarioMs, untilItSucceeds, waitTimeoutMs } from "./support/patience.ts";
import { callingVariables as variables, withEndpoint, type Calling } from "./support/endpoint.ts";
import { emptyQueues, inWorld, inWorldWithPostgres, type World } from "./support/world.ts";

onBothBackends("An outgoing webhook bot", scenarioMs, {
  "answers once, and in order, when the worker is killed between the call and the reply": (
    backend,
  ) => inWorld(backend, (world) => whileCalling(world, (worker) => worker.kill())),
  "answers once, and in order, when the worker is frozen during the call, even after SIGCONT": (
    backend,
  ) => inWorld(backend, (world) => whileCalling(world, async (worker) => worker.signal("SIGSTOP"))),
  "answers each message once when workers are killed at 24 points between the job and the reply": (
    backend,
  ) => inWorld(backend, killedAtEachPoint),
  "answers each message once when PostgreSQL is restarted and the queues are emptied during calls":
    (backend) => inWorldWithPostgres(backend, whilePostgresIsDown),
});

/** An organization with a bot that is called. */
interface Called {
  readonly bot: TestAccount;
  readonly mention: (word: string, topic?: string) => Promise<number>;
}

async function called({ scene, endpoint }: Calling): Promise<Called> {
  const { realm, owner } = await organization(scene.db);
  const room = await channel(scene.db, realm, { subscribers: [owner] });
  const bot = await webhookBot(scene, owner, endpoint.url);
  const mention = (word: string, topic = "lunch") =>
    mentionBot(scene.as(owner), bot, room, word, { topic });
  return { bot, mention };
}

const heard = (call: EndpointCall) => ({ content: `heard ${calledWith(call)}` });

async function answered({ db }: World, bot: TestAccount, count: number): Promise<string[]> {
  const said = await waitFor(
    async () => {
      const open = (await callsOf(db, bot)).filter(({ state }) => state === "waiting");
      const all = await saidBy(db, bot);
      return open.length === 0 && all.length >= count ? all : undefined;
    },
    { what: `${count} answers`, timeoutMs: waitTimeoutMs },
  );
  return said.map(({ content }) => content);
}

/** Applies `fault` while a worker calls, and lets another worker do the rest. */
function whileCalling(
  world: World,
  fault: (worker: TestProcess) => Promise<unknown>,
): Promise<void> {
  return withEndpoint(world, async (calling) => {
    const { endpoint } = calling;
    const { bot, mention } = await called(calling);
    const release = endpoint.holdAnswers(heard, 1);
    const worker = await world.worker(variables);
    await mention("one");
    await mention("two");
    await waitFor(() => endpoint.calls.length > 0, { what: "a call", timeoutMs: waitTimeoutMs });
    await fault(worker);
    release();
    await world.worker(variables);
    expect(await answered(world, bot, 2)).to.deep.equal(["heard one", "heard two"]);
    // A frozen worker goes on, and finds that its call was made again.
    worker.signal("SIGCONT");
    await mention("three");
    expect(await answered(world, bot, 3)).to.deep.equal(["heard one", "heard two", "heard three"]);
    const first = endpoint.calls.filter((call) => calledWith(call) === "one");
    expect(first.length).to.equal(2);
    expect(new Set(first.map(({ headers }) => headers["webhook-id"])).size).to.equal(1);
  });
}

/** Where a worker is killed, and how often the endpoint has been called in the end, at least. */
interface KillPoint extends Omit<Point, "holder"> {
  readonly calls: 1 | 2;
  /** The call was settled before the kill. Otherwise a worker that is killed at a later point may make it, too. */
  readonly settled?: true;
  /** Whether another call of the conversation follows. */
  readonly isFollowed?: true;
}

const claiming = (statement: string, commits = false): KillPoint => ({
  statement,
  commits,
  calls: 1,
});
const settling = (statement: string): KillPoint => ({ statement, calls: 2 });
const settled = (statement: string): KillPoint => ({
  statement,
  commits: true,
  calls: 1,
  settled: true,
});

/**
 * The points of each kill. A transaction at a point holds one of the eleven connections of a worker. Calls that are blocked
 * while they are claimed have a kill of their own: the relay adds jobs for them, which would take the other connections.
 */
const kills: ReadonlyArray<readonly KillPoint[]> = [
  [
    claiming("INSERT ON outgoing_slot"),
    claiming("AFTER INSERT ON outgoing_slot"),
    claiming("UPDATE OF calls ON outgoing_call"),
    claiming("AFTER UPDATE OF calls ON outgoing_call"),
    claiming("COMMIT OF INSERT ON outgoing_slot"),
    claiming("COMMIT OF UPDATE OF calls ON outgoing_call", true),
  ],
  [
    settling("DELETE ON outgoing_slot"),
    settling("AFTER DELETE ON outgoing_slot"),
    settling("INSERT ON outgoing_attempt"),
    settling("AFTER INSERT ON outgoing_attempt"),
    settling("UPDATE ON bot_service"),
    settling("UPDATE OF state ON outgoing_call"),
    settling("AFTER UPDATE OF state ON outgoing_call"),
    settling("INSERT ON messages"),
  ],
  [
    settling("AFTER INSERT ON messages"),
    settling("INSERT ON user_messages"),
    settling("INSERT ON event_log"),
    settling("AFTER INSERT ON event_log"),
    settling("COMMIT OF INSERT ON messages"),
    settled("COMMIT OF INSERT ON outgoing_attempt"),
    settled("COMMIT OF INSERT ON event_log"),
  ],
  // Points at the claim of the next call, in the transaction that stores the answer.
  [
    { ...settling("UPDATE ON outgoing_slot"), isFollowed: true },
    { ...settling("AFTER UPDATE ON outgoing_slot"), isFollowed: true },
    { ...settled("COMMIT OF UPDATE ON outgoing_slot"), isFollowed: true },
  ],
];

const followerOf = (word: string) => `${word}-after`;

/** Kills workers at each point, where a call of an organization of its own has arrived. */
function killedAtEachPoint(world: World): Promise<void> {
  const { db } = world;
  return withEndpoint(world, async (calling) => {
    const { endpoint } = calling;
    endpoint.answer(heard);
    const places: Array<KillPoint & { readonly bot: TestAccount; readonly word: string }> = [];
    for (const points of kills) {
      const held: Point[] = [];
      for (const point of points) {
        const { bot, mention } = await called(calling);
        const word = String(places.length);
        places.push({ ...point, bot, word });
        await mention(word);
        if (point.isFollowed) await mention(followerOf(word));
        held.push({ ...point, holder: await conversationOf(world, bot) });
      }
      await killWorkersAt(world, held, { variables });
    }
    for (const { bot } of places) await letCallsWait(db, bot);
    await world.worker(variables);
    for (const { bot, word, statement, calls, settled: once, isFollowed } of places) {
      const words = isFollowed ? [word, followerOf(word)] : [word];
      expect(await answered(world, bot, words.length), statement).to.deep.equal(
        words.map((each) => `heard ${each}`),
      );
      const made = endpoint.calls.filter((call) => calledWith(call) === word);
      if (once) expect(made.length, statement).to.equal(calls);
      else expect(made.length, statement).to.be.at.least(calls);
      const ids = new Set(made.map(({ headers }) => headers["webhook-id"]));
      expect(ids.size, statement).to.equal(1);
    }
  });
}

/** Returns the lock of the conversation in which the bot is called. */
async function conversationOf({ db }: World, { id: botId }: TestAccount): Promise<HeldLock> {
  const [call] = await db.rows<{ conversation: string }>(
    "SELECT conversation FROM outgoing_call WHERE bot_id = $1",
    [botId],
  );
  if (!call) throw new Error("the bot is not called");
  const { conversation } = call;
  return {
    lockClass: lockClass.outgoingConversation,
    key: conversationKey({ botId, conversation }),
  };
}

/** Restarts PostgreSQL and empties the queues while calls are in progress, and while others wait behind them. */
function whilePostgresIsDown(world: World, server: OwnServer): Promise<void> {
  return withEndpoint(world, async (calling) => {
    const { db } = world;
    const { endpoint } = calling;
    const { bot, mention } = await called(calling);
    const release = endpoint.holdAnswers(heard);
    const worker = keepRunning(() => world.startWorker({ ...variables, OUTGOING_TIMEOUT: "60" }));
    try {
      for (const word of ["one", "two"]) await mention(word);
      await mention("elsewhere", "dinner");
      await waitFor(() => endpoint.calls.length === 2, {
        what: "calls in both conversations",
        timeoutMs: waitTimeoutMs,
      });
      await server.stop("SIGQUIT");
      // Their answers arrive while there is no database.
      release();
      await server.start();
      await untilItSucceeds("emptying the queues", () => emptyQueues(world));
      await untilItSucceeds("letting time pass", () => letCallsWait(db, bot));
      expect(await answered(world, bot, 3)).to.have.members([
        "heard one",
        "heard two",
        "heard elsewhere",
      ]);
    } finally {
      release();
      await worker.stop();
    }
  });
}
