import {
  bot,
  channel,
  eventSubscription,
  logEvents,
  organization,
  send,
  sentEvents,
  startEndpoint,
  startGateway,
  startOwnPostgres,
  startProgram,
  toChannel,
  waitFor,
  type Endpoint,
  type EndpointCall,
  type Gateway,
  type OwnServer,
  type QueueBackend,
  type TestProcess,
  type TestSubscription,
} from "@carillon/testkit";
import { eventsJob } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { keepRunning } from "./support/keep-running.ts";
import { killWorkersAt, type Point } from "./support/kill-workers.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

const variables = { OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8", OUTGOING_TIMEOUT: "2" };

onBothBackends("An event subscription", scenarioMs, {
  "gets each event, in order, when the worker is killed between the call and the acknowledgement, and the queues are emptied":
    (backend) => inWorld(backend, (world) => whileCalling(world, (worker) => worker.kill())),
  "gets each event, in order, when the worker is frozen during the call, even after SIGCONT": (
    backend,
  ) => inWorld(backend, (world) => whileCalling(world, async (worker) => worker.signal("SIGSTOP"))),
  "gets each event, in order, when workers are killed at 22 points of a delivery": (backend) =>
    inWorld(backend, killedAtEachPoint),
  "gets each event, in order, when its endpoint is frozen, after SIGCONT": (backend) =>
    inWorld(backend, whileTheEndpointIsFrozen),
  "gets each event, in order, when PostgreSQL is restarted and the queues are emptied during the call":
    restarted,
});

interface Place {
  readonly endpoint: Endpoint;
  readonly say: (content: string) => Promise<number>;
  /** Subscribes the bot at this URL to messages. */
  readonly subscribe: (url: string) => Promise<TestSubscription>;
}

async function inPlace(world: World, work: (place: Place) => Promise<void>): Promise<void> {
  const { db, queues } = world;
  const endpoint = await startEndpoint();
  const gateway = await startGateway(db, { queues });
  try {
    const org = await organization(db);
    const own = await bot(db, org.owner);
    const room = await channel(db, org.realm, { subscribers: [org.member, own] });
    await work({
      endpoint,
      say: (content) =>
        send(gateway.as(org.member), toChannel(room.id, { content, topic: "lunch" })),
      subscribe: (url) => eventSubscription(gateway, own, url),
    });
  } finally {
    await gateway.close();
    await endpoint.close();
  }
}

const textsOf = (call: Pick<EndpointCall, "body">) =>
  sentEvents(call).data.events.map(({ message }) => (message as { content: string }).content);

/** Waits until the expected texts have arrived. Returns all received texts. */
function untilReceived(received: () => string[], count: number): Promise<string[]> {
  return waitFor(() => (received().length >= count ? received() : undefined), {
    what: `${count} events`,
    timeoutMs: waitTimeoutMs,
  });
}

const untilActive = ({ read }: TestSubscription) =>
  waitFor(async () => (await read()).state === "active" || undefined, {
    what: "the acknowledgement",
    timeoutMs: waitTimeoutMs,
  });

/** Ends the claims of killed and frozen workers, as time does. */
const endClaims = ({ db }: World) =>
  db.rows("UPDATE event_subscription SET calling_until = now(), next_at = NULL");

const emptyQueues = ({ queues }: World) =>
  Promise.all(queues.bullQueues().map((queue) => queue.obliterate({ force: true })));

/** Holds the answer to the first call until `release` is called; answers the others at once. */
function holdFirstCall(endpoint: Endpoint): { readonly release: () => void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  endpoint.answer(async () => {
    if (endpoint.calls.length === 1) await released;
    return {};
  });
  return { release: () => release() };
}

/** Applies `fault` while a worker sends a batch, empties the queues, and lets another worker do the rest. */
function whileCalling(
  world: World,
  fault: (worker: TestProcess) => Promise<unknown>,
): Promise<void> {
  return inPlace(world, async ({ endpoint, say, subscribe }) => {
    const { release } = holdFirstCall(endpoint);
    try {
      const subscribed = await subscribe(endpoint.url);
      const worker = await world.worker(variables);
      await say("one");
      await waitFor(() => endpoint.calls.length > 0, { what: "a call", timeoutMs: waitTimeoutMs });
      await say("two");
      await fault(worker);
      await emptyQueues(world);
      await world.worker(variables);
      await endClaims(world);
      await say("three");
      const received = () => endpoint.calls.slice(1).flatMap(textsOf);
      await untilReceived(received, 3);
      release();
      // A frozen worker goes on, and finds that its batch was sent again.
      worker.signal("SIGCONT");
      await say("four");
      expect(await untilReceived(received, 4)).to.deep.equal(["one", "two", "three", "four"]);
      const [first, second] = endpoint.calls;
      expect(second?.headers["webhook-id"]).to.equal(first?.headers["webhook-id"]);
      expect(endpoint.calls.slice(0, 2).map(textsOf)).to.deep.equal([["one"], ["one"]]);
      await untilActive(subscribed);
    } finally {
      release();
    }
  });
}

/** Prints the body of each request, and answers with 200. */
const printingEndpoint = `
const { createServer } = require("node:http");
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  console.log(JSON.stringify({ msg: "called", body: Buffer.concat(chunks).toString() }));
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ msg: "listening", port: server.address().port })));
`;

/** Freezes the process of the endpoint until a call has failed. */
function whileTheEndpointIsFrozen(world: World): Promise<void> {
  return inPlace(world, async ({ say, subscribe }) => {
    const endpoint = startProgram(process.execPath, ["-e", printingEndpoint], {});
    try {
      const { port } = await endpoint.waitForLine("listening");
      const subscribed = await subscribe(`http://127.0.0.1:${String(port)}/`);
      await world.worker(variables);
      await say("one");
      await endpoint.waitForLine("called", waitTimeoutMs);
      endpoint.signal("SIGSTOP");
      await say("two");
      await waitFor(async () => (await subscribed.read()).state === "failing" || undefined, {
        what: "a failure",
        timeoutMs: waitTimeoutMs,
      });
      await say("three");
      endpoint.signal("SIGCONT");
      // It reads the requests that it got while it was frozen, too.
      const received = () => [
        ...new Set(
          endpoint.lines
            .filter(({ msg }) => msg === "called")
            .flatMap(({ body }) => textsOf({ body: String(body) })),
        ),
      ];
      expect(await untilReceived(received, 3)).to.deep.equal(["one", "two", "three"]);
      await untilActive(subscribed);
    } finally {
      await endpoint.kill();
    }
  });
}

async function restarted(backend: QueueBackend): Promise<void> {
  const server = await startOwnPostgres();
  try {
    await inWorld(backend, (world) => whilePostgresIsDown(world, server), {
      databaseUrl: server.url,
    });
  } finally {
    await server.close();
  }
}

/** Restarts PostgreSQL and empties the queues while a call is in progress, and while another event waits behind it. */
function whilePostgresIsDown(world: World, server: OwnServer): Promise<void> {
  return inPlace(world, async ({ endpoint, say, subscribe }) => {
    const { release } = holdFirstCall(endpoint);
    const worker = keepRunning(() => world.startWorker({ ...variables, OUTGOING_TIMEOUT: "10" }));
    try {
      const subscribed = await subscribe(endpoint.url);
      await say("one");
      await waitFor(() => endpoint.calls.length > 0, { what: "a call", timeoutMs: waitTimeoutMs });
      await say("two");
      await server.stop("SIGQUIT");
      // Its answer arrives while there is no database.
      release();
      await server.start();
      const succeeds = (work: () => Promise<unknown>) => () =>
        work().then(
          () => true,
          () => undefined,
        );
      for (const work of [emptyQueues, endClaims])
        await waitFor(
          succeeds(() => work(world)),
          {
            what: "PostgreSQL is back",
            timeoutMs: waitTimeoutMs,
          },
        );
      await waitFor(
        succeeds(() => say("three")),
        { what: "another message" },
      );
      const received = () => [...new Set(endpoint.calls.flatMap(textsOf))];
      expect(await untilReceived(received, 3)).to.deep.equal(["one", "two", "three"]);
      const ids = endpoint.calls
        .filter((call) => textsOf(call).includes("one"))
        .map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids).size).to.equal(1);
      await untilActive(subscribed);
    } finally {
      release();
      await worker.stop();
    }
  });
}

/** Events of each subscription whose worker is killed: two batches. */
const eventCount = 150;

/** Where a worker is killed, and how often each of the two batches is sent in the end, at least. */
interface KillPoint extends Pick<Point, "statement" | "commits"> {
  /** SQL: which changes of the subscription's rows. */
  readonly row?: string;
  readonly sent: readonly [first: number, second: number];
}

type Sent = KillPoint["sent"];

/** Before and after a statement, and in the COMMIT of its transaction, before and after the server has committed. */
const around = (statement: string, [sent, sentIfCommitted = sent]: readonly Sent[], row?: string) =>
  [
    { statement },
    { statement: `AFTER ${statement}` },
    { statement: `COMMIT OF ${statement}` },
    { statement: `COMMIT OF ${statement}`, commits: true },
  ].map((point): KillPoint => {
    const times = (point.commits ? sentIfCommitted : sent) ?? [1, 1];
    return { ...point, sent: times, ...(row === undefined ? {} : { row }) };
  });

/** The points of each kill. A transaction at a point holds one of the eleven connections of a worker. */
const kills: ReadonlyArray<readonly KillPoint[]> = [
  // The claim.
  [
    { statement: "INSERT ON outgoing_slot", sent: [1, 1] },
    { statement: "AFTER INSERT ON outgoing_slot", sent: [1, 1] },
    ...around("UPDATE OF calls ON event_subscription", [[1, 1]], "NEW.calls > OLD.calls"),
  ],
  // The limits of the first batch.
  around(
    "UPDATE OF batch_to ON event_subscription",
    [[1, 1]],
    "OLD.batch_to IS NULL AND NEW.batch_to IS NOT NULL",
  ),
  // The end of the first batch, and the limits of the second.
  [
    { statement: "INSERT ON outgoing_attempt", sent: [2, 1] },
    { statement: "AFTER UPDATE ON outgoing_slot", sent: [2, 1] },
    ...around(
      "UPDATE OF cursor ON event_subscription",
      [
        [2, 1],
        [1, 1],
      ],
      "NEW.cursor > OLD.cursor",
    ),
  ],
  // The end of the second batch.
  [
    { statement: "DELETE ON outgoing_slot", sent: [1, 2] },
    { statement: "AFTER INSERT ON outgoing_attempt", row: "NEW.events < 100", sent: [1, 2] },
    ...around(
      "UPDATE OF batch_to ON event_subscription",
      [
        [1, 2],
        [1, 1],
      ],
      "NEW.batch_to IS NULL AND OLD.batch_to IS NOT NULL",
    ),
  ],
];

/** Kills workers at each point, where the events of an organization of its own are delivered. */
async function killedAtEachPoint(world: World): Promise<void> {
  const { db } = world;
  const endpoint = await startEndpoint();
  const gateway = await startGateway(db, { queues: world.queues });
  try {
    const places: Array<KillPoint & { readonly subscribed: TestSubscription }> = [];
    for (const points of kills) {
      const held: Point[] = [];
      for (const point of points) {
        const { realmId, subscribed } = await withEvents(world, gateway, endpoint);
        places.push({ ...point, subscribed });
        const its = `${point.statement.includes("DELETE") ? "OLD" : "NEW"}.realm_id = ${realmId}`;
        held.push({ ...point, row: point.row ? `${its} AND ${point.row}` : its });
      }
      await serveNow(world);
      await killWorkersAt(world, held, { variables });
    }
    await endClaims(world);
    await world.worker(variables);
    await serveNow(world);
    for (const { subscribed, sent, ...point } of places) {
      const what = JSON.stringify(point);
      const calls = () =>
        endpoint.calls.filter((call) => sentEvents(call).data.subscription_id === subscribed.id);
      const idsOf = (call: EndpointCall) => sentEvents(call).data.events.map(({ id }) => id);
      const received = () => [...new Set(calls().flatMap(idsOf))];
      const batches = () => {
        const found = new Map<string, string[]>();
        for (const { headers, body } of calls()) {
          const id = headers["webhook-id"] ?? "";
          const events = JSON.stringify(sentEvents({ body }).data.events);
          found.set(id, [...(found.get(id) ?? []), events]);
        }
        return found;
      };
      const times = () => [...batches().values()].map(({ length }) => length);
      // What was received before the kill is sent again, soon after the start of the last worker.
      const isSent = () =>
        received().length >= eventCount && sent.every((least, at) => (times()[at] ?? 0) >= least);
      await waitFor(isSent, { what, timeoutMs: waitTimeoutMs });
      const ids = received();
      expect(ids, what).to.deep.equal(ids.toSorted((a, b) => a - b));
      expect(ids, what).to.have.length(eventCount);
      expect(times(), what).to.have.length(2);
      for (const bodies of batches().values()) expect(new Set(bodies).size, what).to.equal(1);
      await untilActive(subscribed);
    }
  } finally {
    await gateway.close();
    await endpoint.close();
  }
}

/** Makes an organization with a subscription and the events that it has to deliver. */
async function withEvents(
  { db }: World,
  gateway: Gateway,
  { url }: Endpoint,
): Promise<{ readonly realmId: number; readonly subscribed: TestSubscription }> {
  const { realm, owner } = await organization(db);
  const own = await bot(db, owner);
  const subscribed = await eventSubscription(gateway, own, url, { event_types: ["alert_words"] });
  await logEvents(db, { realmId: realm.id, userId: own.id }, eventCount);
  return { realmId: realm.id, subscribed };
}

/** Adds the jobs of all subscriptions, without waiting for the relay. */
async function serveNow({ db, queues }: World): Promise<void> {
  const rows = await db.rows<{ subscriptionId: number; calls: number }>(
    `SELECT id AS "subscriptionId", calls FROM event_subscription`,
  );
  await queues.publish(rows.map((row) => eventsJob(row, randomKey(12))));
}
