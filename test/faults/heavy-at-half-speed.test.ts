import { deliveryJob, type PendingDelivery } from "@carillon/jobs";
import {
  channel,
  heavyTexts,
  nth,
  organization,
  pastMessages,
  scheduledMessage,
  waitFor,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

/** Long messages and reminders of an organization, and the number of such organizations. */
const texts = Object.values(heavyTexts);
const heavy = texts.length;
const reminders = 5;
const organizations = 3;

onBothBackends("A worker with half a CPU", scenarioMs, {
  "sends another organization's message between long texts of every kind, and reminders, of several organizations":
    (backend) => inWorld(backend, halfSpeed),
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
    const [target = 0] = await pastMessages(db, room, org.member, { topic: "topic 1" });
    await db.rows("UPDATE messages SET content = $2 WHERE id = $1", [target, heavyTexts.lists(i)]);
    for (let n = 0; n < heavy + reminders; n++) {
      const row =
        n < heavy
          ? await scheduledMessage(db, org.member, room, {
              content: nth(texts, n % texts.length)(n, room.name),
              dueIn: -1,
            })
          : await scheduledMessage(db, org.member, [], {
              dueIn: -1,
              row: { kind: 2, reminderTargetMessageId: target },
            });
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
    const own = { realmId: quiet.realm.id, scheduledMessageId: lone.id, version: 1 };
    const last = { ...own, deliverAt: lone.deliverAt };
    // Together, because this process may wait for a processor between two calls.
    await queues.publish([...first, last].map((delivery) => deliveryJob(delivery, now)));
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
    expect(of(realmId)?.messages).to.equal(heavy + reminders);
    // It was added to the queue after them, and did not wait for all messages of any of them.
    expect(of(quiet.realm.id)?.last ?? Infinity).to.be.below(of(realmId)?.last ?? 0);
  }
}
