import { deliveryJob, type PendingDelivery } from "@carillon/jobs";
import {
  channel,
  organization,
  scheduledMessage,
  waitFor,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

/** Long messages per organization, and the number of such organizations. */
const heavy = 30;
const organizations = 3;
const list = (n: number) => `${"- a\n".repeat(2_490)}${n}`;

onBothBackends("A worker with half a CPU", scenarioMs, {
  "sends another organization's message between long texts of several organizations": (backend) =>
    inWorld(backend, halfSpeed),
});

/** Stops the process half of the time, until the returned function is called. */
function halve(process: TestProcess): () => void {
  let stopped = false;
  const timer = setInterval(() => {
    stopped = !stopped;
    process.signal(stopped ? "SIGSTOP" : "SIGCONT");
  }, 20);
  return () => {
    clearInterval(timer);
    process.signal("SIGCONT");
  };
}

async function halfSpeed(world: World): Promise<void> {
  const { db, queues } = world;
  const worker = await world.worker();
  const loud: number[] = [];
  const deliveries: PendingDelivery[] = [];
  for (let i = 0; i < organizations; i++) {
    const org = await organization(db);
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    for (let n = 0; n < heavy; n++) {
      const row = await scheduledMessage(db, org.member, room, { content: list(n), dueIn: -1 });
      deliveries.push({
        realmId: org.realm.id,
        scheduledMessageId: row.id,
        version: 1,
        deliverAt: row.deliverAt,
      });
    }
    loud.push(org.realm.id);
  }
  const quiet = await organization(db);
  const hall = await channel(db, quiet.realm, { subscribers: [quiet.member] });
  const lone = await scheduledMessage(db, quiet.member, hall, { dueIn: -1 });
  await db.rows("UPDATE scheduled_messages SET alarmed_at = now()");
  const release = halve(worker);
  try {
    const now = Date.now();
    const first = deliveries.filter(({ realmId }, i) => deliveries[i - 1]?.realmId !== realmId);
    await queues.publish(first.map((delivery) => deliveryJob(delivery, now)));
    const own = { realmId: quiet.realm.id, scheduledMessageId: lone.id, version: 1 };
    await queues.publish([deliveryJob({ ...own, deliverAt: lone.deliverAt }, now)]);
    const pending = async () => {
      const [row] = await db.rows<{ n: number }>(
        "SELECT count(*)::int AS n FROM scheduled_messages WHERE NOT delivered AND NOT failed",
      );
      return row?.n === 0;
    };
    await waitFor(pending, { what: "everything has ended", timeoutMs: scenarioMs / 2 });
  } finally {
    release();
  }
  const sent = await db.rows<{ realmId: number; messages: number; last: number }>(
    `SELECT s.realm_id AS "realmId", count(*)::int AS messages, max(m.id) AS last
     FROM scheduled_messages s JOIN messages m ON m.scheduled_message_id = s.id GROUP BY s.realm_id`,
  );
  const of = (realmId: number) => sent.find((one) => one.realmId === realmId);
  for (const realmId of loud) {
    expect(of(realmId)?.messages).to.equal(heavy);
    // It was added to the queue after them, and did not wait for all messages of any of them.
    expect(of(quiet.realm.id)?.last ?? Infinity).to.be.below(of(realmId)?.last ?? 0);
  }
}
