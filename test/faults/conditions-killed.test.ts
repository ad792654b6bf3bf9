import { channel, send, toChannel, startGateway } from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { killWorkersAt } from "./support/kill-workers.ts";
import { addDeliveryJobs, crowd, schedule, type Crowd } from "./support/load.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { allSent } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

const messages = 60;

/** Statements of a delivery. The worker is killed while it waits in one of them. */
const places = [
  "INSERT ON messages",
  "INSERT ON withheld_messages",
  "DELETE ON scheduled_messages",
];

onBothBackends("Messages that wait for a reply", scenarioMs, {
  "are sent or withheld, each once, though workers are killed in the middle of deliveries": (
    backend,
  ) => inWorld(backend, killAtEachPlace),
});

async function killAtEachPlace(world: World): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  const planned = await schedule(db, people, {
    count: messages,
    dueIn: -30,
    seconds: 1,
    noReminders: true,
  });
  const ids = planned.map(({ scheduledMessageId }) => scheduledMessageId);
  await expectReplies(world, people, ids);
  await addDeliveryJobs(queues, planned);
  for (const statement of places) await killWorkersAt(world, [{ statement }]);
  await world.worker();
  await allSent(db, people.realmId, waitTimeoutMs);
  const outcomes = await db.rows<{
    answered: boolean;
    sent: number;
    withheld: number;
    events: number;
  }>(
    `SELECT n % 2 = 1 AS answered,
       (SELECT count(*)::int FROM messages m WHERE m.scheduled_message_id = t.id) AS sent,
       (SELECT count(*)::int FROM withheld_messages w WHERE w.scheduled_message_id = t.id) AS withheld,
       (SELECT count(*)::int FROM event_log e WHERE e.realm_id = $2 AND e.type = 'withheld_messages'
         AND (e.payload #>> '{withheld_messages,0,scheduled_message_id}')::bigint = t.id) AS events
     FROM unnest($1::bigint[]) WITH ORDINALITY AS t (id, n) ORDER BY n`,
    [ids, people.realmId],
  );
  expect(outcomes).to.deep.equal(
    outcomes.map(({ answered }) => ({
      answered,
      sent: answered ? 0 : 1,
      withheld: answered ? 1 : 0,
      events: answered ? 1 : 0,
    })),
  );
}

/** Gives each message a topic of its own and a condition, and answers every other one, beginning with the first. */
async function expectReplies(
  { db }: World,
  { org, senders }: Crowd,
  ids: readonly number[],
): Promise<void> {
  const room = await channel(db, org.owner, { subscribers: [...senders, org.owner] });
  await db.rows(
    `UPDATE scheduled_messages SET channel_id = $2, recipient_id = $3, topic = 'case ' || id,
       unless = '[{"kind": "reply"}]', messages_before = pg_sequence_last_value('messages_id_seq'::regclass)
     WHERE id = ANY($1::bigint[])`,
    [ids, room.id, room.recipientId],
  );
  const gateway = await startGateway(db);
  try {
    const answered = ids.filter((_, index) => index % 2 === 0);
    await Promise.all(
      answered.map((id) =>
        send(gateway.as(org.owner), toChannel(room.id, { topic: `case ${id}` })),
      ),
    );
  } finally {
    await gateway.close();
  }
}
