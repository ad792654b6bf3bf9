import {
  bot,
  channel,
  eventSubscription,
  logEvents,
  organization,
  send,
  sentEvents,
  sentTexts,
  startProgram,
  toChannel,
  waitFor,
  type Endpoint,
  type EndpointCall,
  type OwnServer,
  type TestProcess,
  type TestSubscription,
} from "@carillon/testkit";
import { eventsJob } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { keepRunning } from "./support/keep-running.ts";
import { killWorkersAt, type Point } from "./support/kill-workers.ts";
import { scenarioMs, untilItSucceeds, waitTimeoutMs } from "./support/patience.ts";
import { callingVariables as variables, withEndpoint, type Calling } from "./support/endpoint.ts";
import { emptyQueues, inWorld, inWorldWithPostgres, type World } from "./support/world.ts";

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
    (backend) => inWorldWithPostgres(backend, whilePostgresIsDown),
});

interface Place {
  readonly endpoint: Endpoint;
  readonly say: (content: string) => Promise<number>;
  /** Subscribes the bot at this URL to messages. */
  readonly subscribe: (url: string) => Promise<TestSubscription>;
}

function inPlace(world: World, work: (place: Place) => Promise<void>): Promise<void> {
  return withEndpoint(world, async ({ scene, endpoint }) => {
    const org = await organization(scene.db);
    const own = await bot(scene.db, org.owner);
    const room = await channel(scene.db, org.realm, { subscribers: [org.member, own] });
    await work({
      endpoint,
      say: (content) => send(scene.as(org.member), toChannel(room.id, { content })),
      subscribe: (url) => eventSubscription(scene, own, url),
    });
  });
}

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

/** Applies `fault` while a worker sends a batch, empties the queues, and lets another worker do the rest. */
function whileCalling(
  world: World,
  fault: (worker: TestProcess) => Promise<unknown>,
): Promise<void> {
  return inPlace(world, async ({ endpoint, say, subscribe }) => {
    const release = endpoint.holdAnswers(undefined, 1);
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
      const received = () => endpoint.calls.slice(1).flatMap(sentTexts);
      await untilReceived(received, 3);
      release();
      // A frozen worker goes on, and finds that its batch was sent again.
      worker.signal("SIGCONT");
      await say("four");
      expect(await untilReceived(received, 4)).to.deep.equal(["one", "two", "three", "four"]);
      const [first, second] = endpoint.calls;
      expect(second?.headers["webhook-id"]).to.equal(first?.headers["webhook-id"]);
      expect(endpoint.calls.slice(0, 2).map(sentTexts)).to.deep.equal([["one"], ["one"]]);
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
            .flatMap(({ body }) => sentTexts({ body: String(body) })),
        ),
      ];
      expect(await untilReceived(received, 3)).to.deep.equal(["one", "two", "three"]);
      await untilActive(subscribed);
    } finally {
      await endpoint.kill();
    }
  });
}

/** Restarts PostgreSQL and empties the queues while a call is in progress, and while another event waits behind it. */
function whilePostgresIsDown(world: World, server: OwnServer): Promise<void> {
  return inPlace(world, async ({ endpoint, say, subscribe }) => {
    const release = endpoint.holdAnswers(undefined, 1);
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
      await untilItSucceeds("emptying the queues", () => emptyQueues(world));
      await untilItSucceeds("letting time pass", () => endClaims(world));
      await untilItSucceeds("another message", () => say("three"));
      const received = () => [...new Set(endpoint.calls.flatMap(sentTexts))];
      expect(await untilReceived(received, 3)).to.deep.equal(["one", "two", "three"]);
      const ids = endpoint.calls
        .filter((call) => sentTexts(call).includes("one"))
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
function killedAtEachPoint(world: World): Promise<void> {
  return withEndpoint(world, async (calling) => {
    const { endpoint } = calling;
    const places: Array<KillPoint & { readonly subscribed: TestSubscription }> = [];
    for (const points of kills) {
      const held: Point[] = [];
      for (const point of points) {
        const { realmId, subscribed } = await withEvents(calling);
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
      // Soon after the last worker has started, it sends the unacknowledged batches again.
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
  });
}

/** Makes an organization with a subscription and the events that it has to deliver. */
async function withEvents({
  scene,
  endpoint: { url },
}: Calling): Promise<{ readonly realmId: number; readonly subscribed: TestSubscription }> {
  const { db } = scene;
  const { realm, owner } = await organization(db);
  const own = await bot(db, owner);
  const subscribed = await eventSubscription(scene, own, url, { event_types: ["alert_words"] });
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
