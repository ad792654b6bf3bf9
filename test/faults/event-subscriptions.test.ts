import {
  bot,
  channel,
  eventSubscription,
  organization,
  send,
  sentEvents,
  startEndpoint,
  startGateway,
  toChannel,
  waitFor,
  type EndpointCall,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

const variables = { OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8", OUTGOING_TIMEOUT: "2" };

onBothBackends("An event subscription", scenarioMs, {
  "gets each event, in order, when the worker is killed between the call and the acknowledgement, and the queues are emptied":
    (backend) => inWorld(backend, (world) => whileCalling(world, (worker) => worker.kill())),
  "gets each event, in order, when the worker is frozen during the call, even after SIGCONT": (
    backend,
  ) => inWorld(backend, (world) => whileCalling(world, async (worker) => worker.signal("SIGSTOP"))),
});

const textsOf = (call: EndpointCall) =>
  sentEvents(call).data.events.map(({ message }) => (message as { content: string }).content);

/** Applies `fault` while a worker sends a batch, empties the queues, and lets another worker do the rest. */
async function whileCalling(
  world: World,
  fault: (worker: TestProcess) => Promise<unknown>,
): Promise<void> {
  const { db, queues } = world;
  const endpoint = await startEndpoint();
  const gateway = await startGateway(db, { queues });
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  try {
    const org = await organization(db);
    const own = await bot(db, org.owner);
    const room = await channel(db, org.realm, { subscribers: [org.member, own] });
    const say = (content: string) =>
      send(gateway.as(org.member), toChannel(room.id, { content, topic: "lunch" }));
    endpoint.answer(async () => {
      if (endpoint.calls.length === 1) await released;
      return {};
    });
    const { id, read } = await eventSubscription(
      { as: (account) => gateway.as(account) },
      own,
      endpoint.url,
    );
    const worker = await world.worker(variables);
    await say("one");
    await waitFor(() => endpoint.calls.length > 0, { what: "a call", timeoutMs: waitTimeoutMs });
    await say("two");
    await fault(worker);
    await Promise.all(queues.bullQueues().map((queue) => queue.obliterate({ force: true })));
    await world.worker(variables);
    // The claim of the first worker is over.
    await db.rows("UPDATE event_subscription SET calling_until = now() WHERE id = $1", [id]);
    await say("three");
    const received = () => endpoint.calls.slice(1).flatMap(textsOf);
    await waitFor(() => received().length >= 3, { what: "all", timeoutMs: waitTimeoutMs });
    release();
    // A frozen worker goes on, and finds that its batch was sent again.
    worker.signal("SIGCONT");
    await say("four");
    await waitFor(() => received().length >= 4, { what: "the rest", timeoutMs: waitTimeoutMs });
    expect(received()).to.deep.equal(["one", "two", "three", "four"]);
    const [first, second] = endpoint.calls;
    expect(second?.headers["webhook-id"]).to.equal(first?.headers["webhook-id"]);
    expect(endpoint.calls.slice(0, 2).map(textsOf)).to.deep.equal([["one"], ["one"]]);
    await waitFor(async () => (await read()).state === "active" || undefined, {
      what: "the acknowledgement",
      timeoutMs: waitTimeoutMs,
    });
  } finally {
    release();
    await gateway.close();
    await endpoint.close();
  }
}
