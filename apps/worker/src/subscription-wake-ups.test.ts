import { silentLogger } from "@carillon/kit";
import {
  bot,
  channel,
  eventSubscription,
  forEachBackend,
  organization,
  send,
  sentEvents,
  startGateway,
  startWorker,
  toChannel,
  useDatabase,
  useEndpoint,
  useQueues,
  waitFor,
  type Gateway,
  type TestWorker,
} from "@carillon/testkit";
import { expect } from "chai";

import { SubscriptionWakeUps } from "./subscription-wake-ups.ts";

// bot-platform.md §3. The relay does not run here: only wake-ups add jobs.
forEachBackend("wake-ups of event subscriptions", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const endpoint = useEndpoint();
  let gateway: Gateway;
  let worker: TestWorker;
  let wakeUps: SubscriptionWakeUps;

  before("start a gateway and a worker", async () => {
    gateway = await startGateway(db, { queues });
    worker = await startWorker(db, queues);
    wakeUps = new SubscriptionWakeUps({ db, queues, log: silentLogger });
  });
  after(async () => {
    await wakeUps?.close();
    await gateway?.close();
    await worker?.close();
  });

  it("send each event of a growing log once, however many wake-ups arrive", async () => {
    const org = await organization(db);
    const own = await bot(db, org.owner);
    const room = await channel(db, org.realm, { subscribers: [org.member, own] });
    const scene = { as: (account: typeof own) => gateway.as(account) };
    const subscribed = await eventSubscription(scene, own, endpoint.url);
    for (const content of ["one", "two", "three"]) {
      await send(gateway.as(org.member), toChannel(room.id, { content }));
      for (let n = 0; n < 20; n++) wakeUps.wake(org.realm.id);
      const calls = endpoint.calls.length;
      await waitFor(() => endpoint.calls.length > calls, { what: "a call" });
      // The claim of the turn is over.
      const released = "SELECT FROM event_subscription WHERE id = $1 AND calling_until IS NULL";
      await waitFor(async () => (await db.rows(released, [subscribed.id])).length > 0, {
        what: "the end of the turn",
      });
    }
    const contents = endpoint.calls.map((call) =>
      sentEvents(call).data.events.map(({ message }) => (message as { content: string }).content),
    );
    expect(contents).to.deep.equal([["one"], ["two"], ["three"]]);
  });
});
