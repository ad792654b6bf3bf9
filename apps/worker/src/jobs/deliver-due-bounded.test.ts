import type { Database } from "@carillon/db";
import { deliverDue, type DeliverDue, type Publication } from "@carillon/jobs";
import {
  channel,
  failingDatabase,
  noticesTo,
  runJob,
  scheduledMessage,
  storedRow,
  user,
  useScene,
  type AboutToRun,
  type TestAccount,
  type TestChannel,
  type TestScheduledMessage,
  nth,
} from "@carillon/testkit";
import { expect } from "chai";

/** What PostgreSQL ends transactions with that may succeed later. */
const codes = ["25P03", "55P03", "57014", "40001", "40P01"];

/** Runs of the job until everything has ended, at most: an error that comes back is no reason to go on for ever. */
const maxRuns = 40;

describe("a scheduled message whose delivery always fails", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.admin] });
  });
  afterEach(() => scene.db.rows("DELETE FROM scheduled_messages WHERE NOT delivered"));

  const make = async (count: number) => {
    const rows: TestScheduledMessage[] = [];
    for (let i = 0; i < count; i++)
      rows.push(
        await scheduledMessage(scene.db, sender, room, {
          content: `${i} for @**${scene.org.admin.fullName}** in #**${room.name}>t**, see https://example.com`,
          topic: "t",
          dueIn: i - 60,
        }),
      );
    return rows;
  };
  const pending = async () => {
    const [row] = await scene.db.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM scheduled_messages
       WHERE realm_id = $1 AND NOT delivered AND NOT failed`,
      [scene.org.realm.id],
    );
    return row?.n ?? 0;
  };
  /** What the queue and the sweep do, without their pauses. @returns how often the job ran */
  const runToTheEnd = async (services: { db?: Database } = {}) => {
    const realmId = scene.org.realm.id;
    let runs = 0;
    while ((await pending()) > 0 && runs < maxRuns) {
      const waiting: Array<Publication<DeliverDue> & { attempt: number }> = [];
      // The first is the delivery job of the second, those after it are of the sweep.
      const payload = runs === 0 ? { realmId, second: 1 } : { realmId, second: 1, tick: runs };
      waiting.push({ job: deliverDue, payload, attempt: 1 });
      for (let next = waiting.shift(); next && runs < maxRuns; next = waiting.shift()) {
        const { payload: given, attempt } = next;
        runs++;
        await scene.db.rows("UPDATE scheduled_messages SET retry_at = NULL WHERE attempts < 3");
        try {
          const { published } = await runJob(scene.db, deliverDue, given, { services, attempt });
          for (const one of published as Publication<DeliverDue>[])
            waiting.push({ ...one, attempt: 1 });
        } catch {
          if (attempt < deliverDue.retry.attempts) waiting.push({ ...next, attempt: attempt + 1 });
        }
      }
      await scene.db.rows("UPDATE scheduled_messages SET retry_at = now() WHERE retry_at > now()");
    }
    return runs;
  };
  const ends = async (rows: readonly TestScheduledMessage[]) =>
    Promise.all(
      rows.map(async ({ id }) => {
        const row = await storedRow(scene.db, id);
        return row?.failed ? "failed" : row?.delivered ? "sent" : "pending";
      }),
    );
  const attemptsOf = async ({ id }: { readonly id: number }) => {
    const [row] = await scene.db.rows<{ attempts: number }>(
      "SELECT attempts FROM scheduled_messages WHERE id = $1",
      [id],
    );
    return row?.attempts;
  };
  /** The statements by which a message is sent, from the one that finds its row on. */
  const statementsOfSending = async () => {
    // What is done once in a channel or in a topic is not done for the second message.
    await make(1);
    await runToTheEnd();
    const row = nth(await make(1), 0);
    const names = new Set<string>();
    const db = failingDatabase(scene.db, ({ name, ids }) => {
      if (ids.has(row.id)) names.add(name);
      return undefined;
    });
    const payload = { realmId: scene.org.realm.id, second: 1, tick: 1 };
    await runJob(scene.db, deliverDue, payload, { services: { db } });
    expect(await ends([row])).to.deep.equal(["sent"]);
    // The first two find the row, and count the try; a message like this one needs no others.
    return [...names].filter((name) => !["deliver-claimed", "deliver-claim-given"].includes(name));
  };

  it("fails without the others for any statement and error, and delays no other message", async () => {
    for (const [i, name] of (await statementsOfSending()).entries()) {
      const code = nth(codes, i % codes.length);
      const rows = await make(5);
      const bad = nth(rows, 2).id;
      const db = failingDatabase(scene.db, (statement) =>
        statement.name === name && statement.ids.has(bad) ? code : undefined,
      );
      const runs = await runToTheEnd({ db });
      const found = await ends(rows);
      expect(found, `${name}: ${code}`).to.deep.equal(["sent", "sent", "failed", "sent", "sent"]);
      expect(runs).to.be.below(maxRuns);
      const stored = await storedRow(scene.db, bad);
      expect(stored?.failureMessage).to.match(/^The server tried \d times to send it/);
    }
  });

  it("fails with the others when a statement fails for all", async () => {
    for (const [i, name] of (await statementsOfSending()).entries()) {
      const code = nth(codes, i % codes.length);
      const rows = await make(2);
      const fails = (statement: AboutToRun) =>
        statement.name === name && statement.ids.size > 0 ? code : undefined;
      const runs = await runToTheEnd({ db: failingDatabase(scene.db, fails) });
      expect(await ends(rows), `${name}: ${code}`).to.deep.equal(["failed", "failed"]);
      expect(runs).to.be.below(maxRuns);
    }
  });

  it("fails when each try kills its worker", async () => {
    const rows = await make(5);
    const bad = nth(rows, 2).id;
    // As if the process died: whatever it wants to do afterwards fails too.
    const dying = () => {
      let dead = false;
      return failingDatabase(scene.db, ({ name, ids }) => {
        dead ||= name === "messages-insert" && ids.has(bad);
        return dead ? "57P01" : undefined;
      });
    };
    for (let run = 0; run < maxRuns && (await pending()) > 0; run++) {
      const payload = { realmId: scene.org.realm.id, second: 1, ...(run > 0 && { tick: run }) };
      await runJob(scene.db, deliverDue, payload, { services: { db: dying() } }).catch(() => {});
      await scene.db.rows("UPDATE scheduled_messages SET retry_at = now() WHERE retry_at > now()");
    }
    expect(await ends(rows)).to.deep.equal(["sent", "sent", "failed", "sent", "sent"]);
  });

  it("notifies its sender, and is sent after it gets a new time", async () => {
    const row = nth(await make(1), 0);
    const db = failingDatabase(scene.db, ({ name, ids }) =>
      name === "message-ids" && ids.has(row.id) ? "55P03" : undefined,
    );
    const before = (await noticesTo(scene.as(sender), scene.org.notificationBot)).length;
    // The notice has ids too, but its transaction does not send the row.
    await runToTheEnd({ db });
    expect(await ends([row])).to.deep.equal(["failed"]);
    const notices = await noticesTo(scene.as(sender), scene.org.notificationBot);
    expect(notices.length).to.be.within(before, before + 1);
    const client = scene.as(sender);
    const answer = await client.patch(`/api/v1/scheduled_messages/${row.id}`, {
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 3_600,
    });
    expect(answer.status).to.equal(200);
    expect(await storedRow(scene.db, row.id)).to.include({ failed: false });
    expect(await attemptsOf(row)).to.equal(0);
    await scene.db.rows("UPDATE scheduled_messages SET deliver_at = now() WHERE id = $1", [row.id]);
    await runToTheEnd();
    expect(await ends([row])).to.deep.equal(["sent"]);
  });

  it("counts no tries while batches succeed", async () => {
    const rows = await make(3);
    expect(await runToTheEnd()).to.equal(1);
    for (const row of rows) expect(await attemptsOf(row)).to.equal(0);
  });

  it("keeps the messages behind it waiting while another job tries it, and they are sent in order", async () => {
    const rows = await make(5);
    const tried = nth(rows, 2).id;
    await scene.db.rows(
      "UPDATE scheduled_messages SET attempts = 1, retry_at = now() + interval '1 hour' WHERE id = $1",
      [tried],
    );
    const payload = { realmId: scene.org.realm.id, second: 1 };
    await runJob(scene.db, deliverDue, payload);
    const stored = await Promise.all(rows.map(({ id }) => storedRow(scene.db, id)));
    expect(stored.map((row) => row?.delivered)).to.deep.equal([true, true, false, false, false]);
    await scene.db.rows("UPDATE scheduled_messages SET retry_at = NULL WHERE id = $1", [tried]);
    await runToTheEnd();
    const sent = await Promise.all(rows.map(({ id }) => storedRow(scene.db, id)));
    const ids = sent.map((row) => Number(row?.deliveredMessageId));
    expect(ids).to.deep.equal(ids.toSorted((a, b) => a - b));
  });

  it("resets the count of messages that were left out of their batch", async () => {
    const rows = await make(4);
    await scene.db.rows("UPDATE channels SET subscriber_count = 12_000 WHERE id = $1", [room.id]);
    const payload = { realmId: scene.org.realm.id, second: 1, tick: 5 };
    await runJob(scene.db, deliverDue, payload);
    expect(await ends(rows)).to.deep.equal(["sent", "sent", "sent", "sent"]);
    for (const row of rows) expect(await attemptsOf(row)).to.equal(1);
  });
});
