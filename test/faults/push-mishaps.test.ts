import { silentLogger } from "@carillon/kit";
import { bouncerClient } from "@carillon/push";
import {
  organization,
  startGateway,
  startTestBouncer,
  startWorker,
  testSite,
  user,
  waitFor,
} from "@carillon/testkit";
import { guardBouncer } from "@carillon/worker";
import { expect } from "chai";
import { Phone } from "../phone/phone.ts";
import { onBothBackends } from "./support/both-backends.ts";
import { mishaps, startFaultyWay } from "./support/faulty-way.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

/** Far longer than an answered call takes; each hanging call delays the test by this much, in milliseconds. */
const timeoutMs = 5_000;

/** On a busy machine more calls time out, and the circuit to the bouncer is open for up to two minutes. */
const healMs = waitTimeoutMs + 60_000;

onBothBackends("Push notifications", scenarioMs, {
  "are shown once each, whatever fault a call of the bouncer has": (backend) =>
    inWorld(backend, everyMishap),
});

/**
 * Runs the real bouncer, queues, gateway and jobs in this process. There is one phone for each fault, so that each
 * fault hits one registration and one notification, all at the same time.
 */
async function everyMishap({ db, queues }: World): Promise<void> {
  const bouncer = await startTestBouncer();
  const way = await startFaultyWay(() => bouncer.url);
  const { id: serverId, key: serverKey } = await bouncer.addServer();
  const client = bouncerClient({ url: way.url, serverId, serverKey, timeoutMs }, "1.0");
  const site = testSite({ pushConfigured: true });
  const gateway = await startGateway(db, { queues, site });
  const worker = await startWorker(db, queues, {
    services: { site, bouncer: guardBouncer(client, { db, queues, log: silentLogger }) },
  });
  const befallen = (call: string) =>
    way.befallen.filter((one) => one.startsWith(`${call}: `)).length;
  const waiting = "SELECT FROM job_intent WHERE job LIKE '%push%' AND state = 'pending'";
  try {
    const { owner, realm } = await organization(db);
    const count = Object.keys(mishaps).length;
    const people = await Promise.all(Array.from({ length: count }, () => user(db, realm)));
    const phones = people.map(
      ({ deliveryEmail: email, apiKey: key }) => new Phone({ site: gateway.url, email, key }),
    );

    await Promise.all(phones.map((phone) => phone.register(bouncer.publicKey)));
    const active = async () =>
      (await Promise.all(phones.map((phone) => phone.isActive()))).every((one) => one);
    await waitFor(active, { what: "all are active", timeoutMs: healMs, everyMs: 200 });
    expect(befallen("register")).to.equal(count);

    // Sent one after the other: messages of one transaction would share a call, which every fault would hit in turn.
    const ids: number[] = [];
    for (const { id } of people) {
      const sent = { type: "direct", to: [id], content: `to ${id}` };
      const { body } = await gateway.as(owner).post("/api/v1/messages", sent);
      ids.push(Number(body["id"]));
    }
    await waitFor(
      async () => befallen("notify") === count && (await db.rows(waiting)).length === 0,
      {
        what: "nothing waits to be pushed",
        timeoutMs: healMs,
        everyMs: 200,
      },
    );
    const { handovers } = bouncer.providers.fcm;
    const shown = await Promise.all(
      phones.map(async (phone) => {
        const opened = await Promise.all(handovers.map((one) => phone.open(one)));
        return opened.flatMap((one) => (one ? [one["message_id"]] : []));
      }),
    );
    expect(shown).to.deep.equal(ids.map((id) => [id]));
  } finally {
    await worker.close();
    await client.close();
    await gateway.close();
    await way.close();
    await bouncer.close();
  }
}
