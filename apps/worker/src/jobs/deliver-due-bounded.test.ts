import { sqlState, type Database } from "@carillon/db";
import { deliverDue, type DeliverDue, type Publication } from "@carillon/jobs";
import { batchTries } from "@carillon/scheduling";
import {
  channel,
  failingDatabase,
  noticesTo,
  remind,
  runJob,
  scheduledMessage,
  send,
  storedRow,
  toChannel,
  user,
  waitFor,
  useScene,
  type AboutToRun,
  type TestAccount,
  type TestChannel,
  type TestScheduledMessage,
  nth,
} from "@carillon/testkit";
import { expect } from "chai";

import type { Delivered } from "../services.ts";

/** What PostgreSQL ends transactions with that may succeed later. */
const codes = ["25P03", "55P03", "57014"];
const conflicts = ["40001", "40P01"];

/** A failure without an SQLSTATE: the deadline of the job ends while the statement runs. */
const deadline = "deadline";

/** The reason of a row that failed in its four batches with others and in both tries alone. */
const triedReason = "The server tried 6 times to send it, and could not.";

/** Ends the leases of rows that are tried in batches. */
const endLeases = `UPDATE scheduled_messages SET retry_at = NULL WHERE attempts < ${batchTries}`;

/** Runs of the job until everything has ended, at most: an error that comes back is no reason to go on for ever. */
const maxRuns = 80;

describe("a scheduled message whose delivery always fails", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  // Ids that no other row and no limit of a statement has: the tests find statements by the ids of scheduled messages.
  before(() =>
    scene.db.rows("SELECT setval(pg_get_serial_sequence('scheduled_messages', 'id'), 10_000_000)"),
  );
  beforeEach(async () => {
    failedInMetrics = [];
    await scene.db.rows("DELETE FROM delivery_batches");
    sender = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.admin] });
  });
  afterEach(() => scene.db.rows("DELETE FROM scheduled_messages WHERE NOT delivered"));

  const make = async (count: number, to: TestChannel | readonly TestAccount[] = room) => {
    const rows: TestScheduledMessage[] = [];
    for (let i = 0; i < count; i++)
      rows.push(
        await scheduledMessage(scene.db, sender, to, {
          content: `${i} for @**${scene.org.admin.fullName}** in #**${room.name}>t**, see https://example.com`,
          topic: "t",
          dueIn: i - 60,
        }),
      );
    return rows;
  };
  /** Makes messages to the administrator. */
  const makeDirect = (count: number) => make(count, [scene.org.admin]);
  const pending = async () => {
    const [row] = await scene.db.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM scheduled_messages
       WHERE realm_id = $1 AND NOT delivered AND NOT failed`,
      [scene.org.realm.id],
    );
    return row?.n ?? 0;
  };
  /** The causes of failures that were reported for the metrics. */
  let failedInMetrics: string[] = [];
  /** Ends the deadline of the job that runs now. */
  let endDeadline = () => {};
  /** Runs one job. The job's deadline ends when {@link endDeadline} is called. */
  const run = (payload: DeliverDue, services: { db?: Database }, attempt = 1) => {
    const controller = new AbortController();
    endDeadline = () => controller.abort();
    const observed = {
      ...services,
      onDelivery: ({ failures }: Delivered) => void failedInMetrics.push(...failures),
    };
    return runJob(scene.db, deliverDue, payload, {
      services: observed,
      attempt,
      signal: controller.signal,
    });
  };
  /** Makes a statement fail with one of {@link codes}, or with the deadline of its job. */
  const failWith = (code: string) => {
    if (code !== deadline) return code;
    endDeadline();
    return undefined;
  };
  /**
   * Runs jobs as the queue and the sweep would, without their pauses.
   * @param careful whether the first job is one of the sweep, and counts its tries
   * @returns how often the job ran
   */
  const runToTheEnd = async (services: { db?: Database } = {}, careful = false) => {
    const realmId = scene.org.realm.id;
    let runs = 0;
    while ((await pending()) > 0 && runs < maxRuns) {
      const waiting: Array<Publication<DeliverDue> & { attempt: number }> = [];
      // The first is the delivery job of the second, those after it are of the sweep.
      const isFirst = runs === 0 && !careful;
      const payload = { realmId, second: 1, ...(isFirst ? {} : { tick: runs }) };
      waiting.push({ job: deliverDue, payload, attempt: 1 });
      for (let next = waiting.shift(); next && runs < maxRuns; next = waiting.shift()) {
        const { payload: given, attempt } = next;
        runs++;
        await scene.db.rows(endLeases);
        try {
          const { published } = await run(given, services, attempt);
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
  /** A database that cannot read a row, as if its data were damaged: the error is not transient. */
  const damaged = (bad: number, ...others: readonly string[]) =>
    failingDatabase(scene.db, ({ name, ids }) =>
      ids.has(bad) && ["deliver-claim-given", "deliver-claimed", ...others].includes(name)
        ? "XX001"
        : undefined,
    );
  /** The causes in the log of failures, and the time when the message was due. */
  const recordedOf = async (id: number) => {
    const [found] = await scene.db.rows<{ causes: readonly string[]; due: number | null }>(
      `SELECT coalesce(json_agg(cause), '[]') AS causes, max(extract(epoch FROM due_at))::float8 AS due
       FROM delivery_failures WHERE scheduled_message_id = $1`,
      [id],
    );
    return found;
  };
  /** Failed messages in the history of deliveries. */
  const failedInHistory = async () => {
    const [found] = await scene.db.rows<{ failed: number }>(
      "SELECT coalesce(sum(failed), 0)::int AS failed FROM delivery_batches",
    );
    return found?.failed;
  };
  /** The statements by which a message is sent, from the one that finds its row on. */
  const statementsOfSending = async (makeRows = make) => {
    // What is done once in a channel or in a topic is not done for the second message.
    await makeRows(1);
    await runToTheEnd();
    const row = nth(await makeRows(1), 0);
    const names = new Set<string>();
    const db = failingDatabase(scene.db, ({ name, ids }) => {
      if (ids.has(row.id)) names.add(name);
      return undefined;
    });
    const payload = { realmId: scene.org.realm.id, second: 1, tick: 1 };
    await runJob(scene.db, deliverDue, payload, { services: { db } });
    expect(await ends([row])).to.deep.equal(["sent"]);
    expect([...names]).to.include.members(["deliver-claim-given", "deliver-claimed"]);
    return [...names];
  };
  /** A statement that only careful jobs send for short messages. */
  const isOfCarefulJobs = (name: string) => name === "deliver-claim-given";
  /** The errors with which a statement may fail. A deadline that ends during the COMMIT comes too late. */
  const errorsOf = (name: string) =>
    ["delivery-batch-record", "event-append"].includes(name) ? codes : [...codes, deadline];
  /** The first of the rows that a statement concerns. */
  const firstOf = (rows: readonly TestScheduledMessage[], { ids }: AboutToRun) =>
    rows.find(({ id }) => ids.has(id));

  it("fails without the others, whatever statement fails and with whatever error", async () => {
    for (const [i, name] of (await statementsOfSending()).entries()) {
      const errors = [...errorsOf(name), ...conflicts];
      const rows = await make(3);
      const bad = nth(rows, 1);
      // Each try fails with another error.
      let failures = i;
      const db = failingDatabase(scene.db, (statement) =>
        statement.name === name && statement.ids.has(bad.id)
          ? failWith(nth(errors, failures++ % errors.length))
          : undefined,
      );
      const runs = await runToTheEnd({ db }, isOfCarefulJobs(name));
      expect(await ends(rows), name).to.deep.equal(["sent", "failed", "sent"]);
      expect(runs, name).to.be.below(maxRuns);
      expect(failures - i, name).to.be.at.least(errors.length);
      expect((await storedRow(scene.db, bad.id))?.failureMessage, name).to.equal(triedReason);
    }
  });

  it("fails as a direct message without the others, whatever statement waits too long for a lock", async () => {
    const names = await statementsOfSending(makeDirect);
    expect(names).to.include("ensure-direct-recipients");
    for (const name of names) {
      const rows = await makeDirect(3);
      const bad = nth(rows, 1);
      const db = failingDatabase(scene.db, (statement) =>
        statement.name === name && statement.ids.has(bad.id) ? "55P03" : undefined,
      );
      expect(await runToTheEnd({ db }, isOfCarefulJobs(name)), name).to.be.below(maxRuns);
      expect(await ends(rows), name).to.deep.equal(["sent", "failed", "sent"]);
      expect((await storedRow(scene.db, bad.id))?.failureMessage, name).to.equal(triedReason);
    }
  });

  it("is sent once as a direct message, in its place, after a statement waited too long for a lock", async () => {
    const rows = await makeDirect(3);
    const payload = { realmId: scene.org.realm.id, second: 1 };
    await scene.db.transaction(async (holding) => {
      // Only direct messages write to this table.
      await holding.rows("LOCK TABLE recipients IN EXCLUSIVE MODE");
      const waiting = runJob(scene.db, deliverDue, payload);
      expect(await waiting.then(() => "sent", sqlState)).to.equal("55P03");
      expect(await ends(rows)).to.deep.equal(["pending", "pending", "pending"]);
    });
    await runToTheEnd();
    const sent = await scene.db.rows<{ id: number }>(
      `SELECT scheduled_message_id AS id FROM messages
       WHERE scheduled_message_id = ANY($1::bigint[]) ORDER BY id`,
      [rows.map(({ id }) => id)],
    );
    expect(sent.map(({ id }) => id)).to.deep.equal(rows.map(({ id }) => id));
  });

  it("fails without the others, beside others that always fail with other errors", async () => {
    const errors = [...codes, deadline];
    const rows = await make(2 * errors.length + 1);
    const bad = rows.filter((_, i) => i % 2 === 1);
    const db = failingDatabase(scene.db, (statement) => {
      const row = statement.name === "messages-insert" ? firstOf(bad, statement) : undefined;
      return row && failWith(nth(errors, bad.indexOf(row)));
    });
    expect(await runToTheEnd({ db })).to.be.below(maxRuns);
    expect(await ends(rows)).to.deep.equal(
      rows.map((row) => (bad.includes(row) ? "failed" : "sent")),
    );
  });

  it("fails with the others when a statement fails for all", async () => {
    // Giving up a row sends the second of them, too.
    for (const name of ["deliver-mark-sent", "event-append"]) {
      const errors = [...errorsOf(name), ...conflicts];
      const rows = await make(2);
      let failures = 0;
      const db = failingDatabase(scene.db, (statement) =>
        statement.name === name && firstOf(rows, statement)
          ? failWith(nth(errors, failures++ % errors.length))
          : undefined,
      );
      expect(await runToTheEnd({ db })).to.be.below(maxRuns);
      expect(await ends(rows), name).to.deep.equal(["failed", "failed"]);
      expect(failures).to.be.at.least(errors.length);
    }
  });

  it("is sent once, in its place, after two failures of any statement", async () => {
    for (const [i, name] of (await statementsOfSending()).entries()) {
      const rows = await make(3);
      const bad = nth(rows, 1).id;
      let failures = 0;
      const db = failingDatabase(scene.db, (statement) => {
        if (statement.name !== name || !statement.ids.has(bad) || failures === 2) return undefined;
        failures++;
        const errors = [...errorsOf(name), ...conflicts];
        return failWith(nth(errors, (i + failures) % errors.length));
      });
      await runToTheEnd({ db }, isOfCarefulJobs(name));
      expect(failures, name).to.equal(2);
      const sent = await scene.db.rows<{ id: number }>(
        `SELECT scheduled_message_id AS id FROM messages
         WHERE scheduled_message_id = ANY($1::bigint[]) ORDER BY id`,
        [rows.map(({ id }) => id)],
      );
      expect(
        sent.map(({ id }) => id),
        name,
      ).to.deep.equal(rows.map(({ id }) => id));
    }
  });

  it("is tried with half as many others after each failure, and then alone", async () => {
    const rows = await make(20);
    const bad = nth(rows, 5).id;
    const sizes: number[] = [];
    const db = failingDatabase(scene.db, ({ name, ids }) => {
      if (name !== "deliver-mark-sent" || !ids.has(bad)) return undefined;
      sizes.push(rows.filter(({ id }) => ids.has(id)).length);
      return "57014";
    });
    await runToTheEnd({ db });
    expect(sizes).to.deep.equal([20, 16, 8, 4, 2, 1, 1]);
    expect((await storedRow(scene.db, bad))?.failureMessage).to.equal(triedReason);
    expect(new Set(await ends(rows.filter(({ id }) => id !== bad)))).to.deep.equal(
      new Set(["sent"]),
    );
  });

  it("fails even if its row cannot be read", async () => {
    const rows = await make(5);
    const bad = nth(rows, 2).id;
    expect(await runToTheEnd({ db: damaged(bad) })).to.be.below(maxRuns);
    expect(await ends(rows)).to.deep.equal(["sent", "sent", "failed", "sent", "sent"]);
    expect(await recordedOf(bad)).to.deep.equal({ causes: ["stuck"], due: nth(rows, 2).deliverAt });
    expect(await failedInHistory()).to.equal(1);
    expect(failedInMetrics).to.deep.equal(["stuck"]);
  });

  it("fails even if its row cannot be read and its failure cannot be recorded", async () => {
    const rows = await make(3);
    const bad = nth(rows, 1).id;
    expect(await runToTheEnd({ db: damaged(bad, "delivery-failures-record") })).to.be.below(
      maxRuns,
    );
    expect(await ends(rows)).to.deep.equal(["sent", "failed", "sent"]);
    expect(await recordedOf(bad)).to.deep.equal({ causes: [], due: null });
    expect(failedInMetrics).to.deep.equal(["stuck"]);
  });

  describe("because it takes longer than its job may", () => {
    /** The transactions that wait in the trigger below. */
    const slowOnes = async () =>
      (
        await scene.db.rows<{ started: string }>(
          `SELECT xact_start::text AS started FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event = 'PgSleep'`,
        )
      ).map(({ started }) => started);
    before(async () => {
      await scene.db.rows(
        `CREATE FUNCTION sleep_long() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN IF NEW.content LIKE '%takes long%' THEN PERFORM pg_sleep(600); END IF; RETURN NEW; END $$`,
      );
      await scene.db.rows(
        "CREATE TRIGGER sleep_long BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION sleep_long()",
      );
    });
    after(() => scene.db.rows("DROP TRIGGER sleep_long ON messages"));

    /** Runs to the end, and ends the deadline of each job that waits for the slow message. */
    const runSlowly = async (meanwhile: () => Promise<unknown> = async () => {}) => {
      const ended = new Set<string>();
      let over = false;
      const ending = waitFor(
        async () => {
          for (const started of over ? [] : await slowOnes()) {
            if (ended.has(started)) continue;
            if (ended.size === 0) await meanwhile();
            ended.add(started);
            endDeadline();
          }
          return over;
        },
        { what: "all messages have ended", timeoutMs: 120_000 },
      );
      const runs = await runToTheEnd().finally(() => (over = true));
      await ending;
      expect(ended.size).to.be.at.least(1);
      return runs;
    };

    /** Tries one of the rows alone. @returns the limits of the statements that send the rows, in order of their contents */
    const limitsWith = async (alone: TestScheduledMessage) => {
      await scene.db.rows("CREATE TABLE statement_timeouts (content text, value text)");
      await scene.db.rows(
        `CREATE FUNCTION note_timeout() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO statement_timeouts VALUES (NEW.content, current_setting('statement_timeout')); RETURN NEW; END $$`,
      );
      await scene.db.rows(
        "CREATE TRIGGER note_timeout BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION note_timeout()",
      );
      await tryAlone(alone);
      await runToTheEnd();
      await scene.db.rows("DROP TRIGGER note_timeout ON messages");
      await scene.db.rows("DROP FUNCTION note_timeout");
      const noted = await scene.db.rows<{ value: string }>(
        "SELECT value FROM statement_timeouts ORDER BY content",
      );
      await scene.db.rows("DROP TABLE statement_timeouts");
      return noted.map(({ value }) => value);
    };
    /** Lets a row be tried alone next, with the content. */
    const tryAlone = ({ id }: TestScheduledMessage, content?: string) =>
      scene.db.rows(
        `UPDATE scheduled_messages SET attempts = $2, retry_at = now(), content = coalesce($3, content)
         WHERE id = $1`,
        [id, batchTries, content ?? null],
      );

    it("has its statements cancelled after five seconds in a batch, and after twenty alone", async () => {
      const rows = await make(3);
      expect(await limitsWith(nth(rows, 1))).to.deep.equal(["5s", "20s", "5s"]);
    });

    it("has its statements cancelled after five seconds alone, too, if others wait for its channel", async () => {
      expect(await limitsWith(nth(await make(1), 0)), "the first message").to.deep.equal(["5s"]);
      expect(await limitsWith(nth(await make(1), 0))).to.deep.equal(["20s"]);
      await scene.db.rows("UPDATE channels SET is_recently_active = false WHERE id = $1", [
        room.id,
      ]);
      expect(await limitsWith(nth(await make(1), 0)), "inactive channel").to.deep.equal(["5s"]);
    });

    it("has its statements cancelled after five seconds alone, too, if it is a direct message", async () => {
      expect(await limitsWith(nth(await makeDirect(1), 0))).to.deep.equal(["5s"]);
    });

    it("fails as a direct message, and the other ones of its conversation are sent", async () => {
      const slow = nth(await makeDirect(1), 0);
      await tryAlone(slow, "takes long");
      const rows: TestScheduledMessage[] = [];
      await runSlowly(async () => {
        rows.push(...(await makeDirect(2)));
        await runJob(scene.db, deliverDue, { realmId: scene.org.realm.id, second: 2 });
        expect(await ends([slow, ...rows])).to.deep.equal(["pending", "sent", "sent"]);
      });
      expect(await ends([slow])).to.deep.equal(["failed"]);
    });

    it("fails as the first message of its channel, and the other ones are sent", async () => {
      const slow = nth(await make(1), 0);
      await tryAlone(slow, "takes long");
      const rows: TestScheduledMessage[] = [];
      await runSlowly(async () => {
        rows.push(...(await make(2)));
        const during = runJob(scene.db, deliverDue, { realmId: scene.org.realm.id, second: 2 });
        expect(await during.then(() => "sent", sqlState)).to.equal("55P03");
      });
      expect(await ends([slow, ...rows])).to.deep.equal(["failed", "sent", "sent"]);
    });

    it("fails with its reason, after all others are sent", async () => {
      const rows = await make(5);
      const slow = nth(rows, 2).id;
      await scene.db.rows("UPDATE scheduled_messages SET content = 'takes long' WHERE id = $1", [
        slow,
      ]);
      expect(await runSlowly()).to.be.below(maxRuns);
      expect(await ends(rows)).to.deep.equal(["sent", "sent", "failed", "sent", "sent"]);
      expect((await storedRow(scene.db, slow))?.failureMessage).to.equal(triedReason);
    });

    it("delays no message that is due while it is tried alone", async () => {
      // The first message of a channel locks the channel.
      await make(1);
      await runToTheEnd();
      const slow = nth(await make(1), 0);
      await tryAlone(slow, "takes long");
      const rows: TestScheduledMessage[] = [];
      await runSlowly(async () => {
        rows.push(...(await make(3)));
        await runJob(scene.db, deliverDue, { realmId: scene.org.realm.id, second: 2 });
        expect(await ends([...rows, slow])).to.deep.equal(["sent", "sent", "sent", "pending"]);
      });
      expect(await ends([slow])).to.deep.equal(["failed"]);
    });

    it("fails as a reminder, and the other reminders are sent", async () => {
      const client = scene.as(sender);
      const target = await send(client, toChannel(room.id, { content: "a plan" }));
      const ids = [];
      for (const note of ["first", "takes long", "third"])
        ids.push(await remind(client, target, { note }));
      await scene.db.rows(
        "UPDATE scheduled_messages SET deliver_at = now() - interval '9 s' WHERE id = ANY($1)",
        [ids],
      );
      expect(await runSlowly()).to.be.below(maxRuns);
      const stored = await Promise.all(ids.map((id) => storedRow(scene.db, id)));
      expect(stored.map((row) => [row?.delivered, row?.failed])).to.deep.equal([
        [true, false],
        [false, true],
        [true, false],
      ]);
    });
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
