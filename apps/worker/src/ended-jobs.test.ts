import { recordIntents, unqueuedIntents } from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import { backoff, intentJob } from "@carillon/jobs";
import {
  captureLog,
  channel,
  makeDue,
  organization,
  scheduledMessage,
  keepingMailer,
  testFiles,
  testOutgoing,
  testSite,
  useDatabase,
  useQueues,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";

import { intentProcessor } from "./intent-processor.ts";
import deliverDueProcessor from "./jobs/deliver-due.ts";
import type { AnyProcessor } from "./processor.ts";
import { RunningJobs } from "./running-jobs.ts";
import type { WorkerServices } from "./services.ts";

const declared = (deadline: "200ms" | "20s") =>
  intentJob({
    name: "rename-realm",
    title: "Renaming",
    queue: "maintenance",
    about: "A job of the tests.",
    intent: z.strictObject({ n: z.int() }),
    retry: backoff({ attempts: 2, first: "10ms", cap: "20ms", jitter: 0 }),
    deadline,
  });

describe("A job that is ended while a statement of it runs", () => {
  const db = useDatabase();
  const queues = useQueues("postgres", db);
  const { log, lines } = captureLog();
  const services = (): WorkerServices => ({
    db,
    log,
    site: testSite(),
    mailer: keepingMailer(),
    files: testFiles(),
    outgoing: testOutgoing(),
    queues,
  });

  const statements = () =>
    db.rows(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
    );
  const underWay = () =>
    waitFor(async () => (await statements()).length === 1, { what: "its statement runs" });
  const cancelled = () =>
    waitFor(async () => (await statements()).length === 0, { what: "nothing of it runs any more" });

  /** Renames, and then does nothing for long. */
  const rename = (realmId: number) => async (tx: Tx) => {
    await tx.rows("UPDATE realms SET name = 'Renamed' WHERE id = $1", [realmId]);
    await tx.rows("SELECT pg_sleep(600)");
  };

  async function start(processor: AnyProcessor, data: unknown, attempt = 1) {
    const running = new RunningJobs({ services: services(), stopMs: 60_000 });
    const { name } = processor.definition;
    const run = running
      .run(processor, {
        queue: "maintenance",
        name,
        id: "one",
        data,
        attempt,
        again: false,
        signal: new AbortController().signal,
      })
      .then(
        () => "no failure",
        (error: Error) => error.name,
      );
    return { running, run };
  }

  async function intended(deadline: "200ms" | "20s") {
    const { realm } = await organization(db);
    const definition = declared(deadline);
    await db.transaction((tx) =>
      recordIntents(tx, realm.id, definition, [{ key: `${realm.id}`, payload: { n: 1 } }]),
    );
    const intents = await unqueuedIntents(db, {
      jobs: [definition.name],
      olderThanMs: 0,
      limit: 100,
    });
    const { intentId, version } = intents.at(-1)!;
    const state = async () => {
      const [row] = await db.rows<{ name: string; state: string; attempts: number; error: string }>(
        `SELECT r.name, i.state, i.attempts, i.last_error AS error FROM job_intent i
         JOIN realms r ON r.id = i.realm_id WHERE i.id = $1`,
        [intentId],
      );
      return row;
    };
    const processor = intentProcessor(definition, rename(realm.id)) as AnyProcessor;
    return { processor, reference: { intentId, version }, state, name: (await state())?.name };
  }

  it("is rolled back at its deadline, and its row has the reason", async () => {
    const { processor, reference, state, name } = await intended("200ms");
    const error = "it took longer than 200 ms";
    const first = await start(processor, reference);
    expect(await first.run).to.equal("DeadlineExceeded");
    await cancelled();
    expect(await state()).to.deep.equal({ name, state: "pending", attempts: 1, error });
    const last = await start(processor, reference, 2);
    expect(await last.run).to.equal("DeadlineExceeded");
    expect(await state()).to.deep.equal({ name, state: "dead", attempts: 2, error });
  });

  it("is rolled back when the process must end, and no attempt is counted", async () => {
    const { processor, reference, state, name } = await intended("20s");
    const { running, run } = await start(processor, reference);
    await underWay();
    running.stop();
    expect(await run).to.equal("HandBack");
    await cancelled();
    expect(await state()).to.deep.equal({ name, state: "pending", attempts: 0, error: null });
  });

  it("leaves the messages of an interrupted delivery pending", async () => {
    await db.rows(
      `CREATE FUNCTION slow_message() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$`,
    );
    await db.rows(
      "CREATE TRIGGER slow_message BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION slow_message()",
    );
    const { realm, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const { id } = await scheduledMessage(db, member, room);
    await makeDue(db, id);
    const processor = deliverDueProcessor as AnyProcessor;
    const { running, run } = await start(processor, { realmId: realm.id, second: 1 });
    await underWay();
    running.stop();
    expect(await run).to.equal("HandBack");
    await cancelled();
    const rows = await db.rows("SELECT delivered, failed FROM scheduled_messages WHERE id = $1", [
      id,
    ]);
    expect(rows).to.deep.equal([{ delivered: false, failed: false }]);
    expect(lines.filter(({ level }) => level >= 40)).to.deep.equal([]);
  });
});
