import { startTask, createAlarmPublisher } from "@carillon/scheduling";
import { alarmHorizonMs, deliverDue, type Alarm } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  channel,
  forEachBackend,
  organization,
  scheduledMessage,
  useDatabase,
  useQueues,
} from "@carillon/testkit";
import { expect } from "chai";

import relayTask from "./relay.ts";

const hour = 3_600;

forEachBackend("the alarm of a message that is due in more than a day", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);

  async function alarmOf(dueIn: number): Promise<Alarm> {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const { id } = await scheduledMessage(db, member, room, { dueIn });
    // The request has had its time to set the alarm.
    const [alarm] = await db.rows<Alarm>(
      `UPDATE scheduled_messages SET created_at = now() - interval '1 minute', alarmed_at = NULL WHERE id = $1
       RETURNING realm_id AS "realmId", id AS "scheduledMessageId", version,
         extract(epoch FROM deliver_at)::float8 AS "deliverAt"`,
      [id],
    );
    if (!alarm) throw new Error("there is no such row");
    return alarm;
  }

  /** Whether the row says that its alarm is set, and what the queue has of it. */
  async function stateOf({ realmId, scheduledMessageId }: Alarm) {
    const [row] = await db.rows<{ stamped: boolean; second: number }>(
      `SELECT alarmed_at IS NOT NULL AS stamped, floor(extract(epoch FROM deliver_at))::float8 AS second
       FROM scheduled_messages WHERE id = $1`,
      [scheduledMessageId],
    );
    if (!row) throw new Error("there is no such row");
    const { stamped, second } = row;
    const job = await queues.queue("delivery").job(deliverDue.key({ realmId, second }));
    return { stamped, job: job?.state };
  }
  const relayOnce = async () => {
    const relay = startTask(relayTask, { db, log: silentLogger, queues });
    await relay.run();
    await relay.stop();
  };

  it("is not set by the request, one of today is", async () => {
    const clock = createAlarmPublisher({ queues, db, log: silentLogger });
    const [tomorrow, today] = [await alarmOf(25 * hour), await alarmOf(23 * hour)];
    clock.set(tomorrow);
    clock.set(today);
    await clock.idle();
    expect(await stateOf(tomorrow)).to.deep.equal({ stamped: false, job: undefined });
    expect(await stateOf(today)).to.deep.equal({ stamped: true, job: "delayed" });
  });

  it("is set by the relay once the day has come", async () => {
    expect(alarmHorizonMs).to.equal(24 * hour * 1_000);
    const alarm = await alarmOf(25 * hour);
    await relayOnce();
    expect(await stateOf(alarm)).to.deep.equal({ stamped: false, job: undefined });
    await db.rows(
      "UPDATE scheduled_messages SET deliver_at = deliver_at - interval '2 hours' WHERE id = $1",
      [alarm.scheduledMessageId],
    );
    await relayOnce();
    expect(await stateOf(alarm)).to.deep.equal({ stamped: true, job: "delayed" });
  });
});
