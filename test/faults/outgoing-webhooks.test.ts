import {
  callsOf,
  channel,
  organization,
  saidBy,
  send,
  startEndpoint,
  startGateway,
  toChannel,
  waitFor,
  webhookBot,
  type Endpoint,
  type EndpointCall,
  type Gateway,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

const variables = { OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8", OUTGOING_TIMEOUT: "2" };

onBothBackends("An outgoing webhook bot", scenarioMs, {
  "answers once, and in order, when the worker is killed between the call and the reply": (
    backend,
  ) => inWorld(backend, (world) => whileCalling(world, (worker) => worker.kill())),
  "answers once, and in order, when the worker is frozen during the call, even after SIGCONT": (
    backend,
  ) => inWorld(backend, (world) => whileCalling(world, async (worker) => worker.signal("SIGSTOP"))),
  "answers each message once while workers are killed at random": (backend) =>
    inWorld(backend, killedAtRandom),
  "answers after the queue was emptied": (backend) => inWorld(backend, emptied),
});

interface Place {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly org: TestOrganization;
  readonly room: TestChannel;
  readonly bot: TestAccount;
  readonly mention: (word: string, topic?: string) => Promise<number>;
}

async function inPlace(world: World, work: (place: Place) => Promise<void>): Promise<void> {
  const { db, queues } = world;
  const endpoint = await startEndpoint();
  const gateway = await startGateway(db, { queues });
  try {
    const org = await organization(db);
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const as = (account: TestAccount) => gateway.as(account);
    const bot = await webhookBot({ db, as }, org.owner, endpoint.url);
    const mention = (word: string, topic = "lunch") =>
      send(as(org.member), toChannel(room.id, { topic, content: `@**${bot.fullName}** ${word}` }));
    await work({ gateway, endpoint, org, room, bot, mention });
  } finally {
    await gateway.close();
    await endpoint.close();
  }
}

const wordOf = ({ body }: EndpointCall) =>
  (JSON.parse(body) as { data: string }).data.split(" ").at(-1);

async function answered({ db }: World, { bot }: Place, count: number): Promise<string[]> {
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
  return inPlace(world, async (place) => {
    const { endpoint, mention } = place;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    endpoint.answer(async (call) => {
      if (endpoint.calls.length === 1) await released;
      return { content: `heard ${wordOf(call)}` };
    });
    const worker = await world.worker(variables);
    await mention("one");
    await mention("two");
    await waitFor(() => endpoint.calls.length > 0, { what: "a call", timeoutMs: waitTimeoutMs });
    await fault(worker);
    release();
    await world.worker(variables);
    expect(await answered(world, place, 2)).to.deep.equal(["heard one", "heard two"]);
    // A frozen worker goes on, and finds that its call was made again.
    worker.signal("SIGCONT");
    await mention("three");
    expect(await answered(world, place, 3)).to.deep.equal([
      "heard one",
      "heard two",
      "heard three",
    ]);
    const first = endpoint.calls.filter((call) => wordOf(call) === "one");
    expect(first.length).to.equal(2);
    expect(new Set(first.map(({ headers }) => headers["webhook-id"])).size).to.equal(1);
  });
}

function killedAtRandom(world: World): Promise<void> {
  return inPlace(world, async (place) => {
    const { endpoint, mention } = place;
    endpoint.answer(async (call) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
      return { content: `heard ${wordOf(call)}` };
    });
    const words = Array.from({ length: 60 }, (_, n) => String(n));
    await world.worker(variables);
    const sending = (async () => {
      for (const word of words) await mention(word, `topic ${Number(word) % 20}`);
    })();
    for (let kills = 0; kills < 4; kills++) {
      const worker = await world.worker(variables);
      const before = endpoint.calls.length;
      // Some calls later, wherever they are then.
      await waitFor(() => endpoint.calls.length > before + 1 || undefined, {
        what: "calls",
        timeoutMs: 5_000,
      }).catch(() => undefined);
      await worker.kill();
    }
    await sending;
    const said = await answered(world, place, words.length);
    expect(said).to.have.members(words.map((word) => `heard ${word}`));
    for (const word of words) {
      const ids = endpoint.calls
        .filter((call) => wordOf(call) === word)
        .map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids).size, word).to.equal(1);
    }
  });
}

function emptied(world: World): Promise<void> {
  return inPlace(world, async (place) => {
    const { endpoint, mention } = place;
    endpoint.answer((call) => ({ content: `heard ${wordOf(call)}` }));
    for (const word of ["one", "two"]) await mention(word);
    await mention("elsewhere", "dinner");
    await Promise.all(world.queues.bullQueues().map((queue) => queue.obliterate({ force: true })));
    await world.worker(variables);
    expect(await answered(world, place, 3)).to.have.members([
      "heard one",
      "heard two",
      "heard elsewhere",
    ]);
  });
}
