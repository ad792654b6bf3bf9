import { registerPushDevice } from "@carillon/contract";
import { botCommand, queues as declaredQueues, registerPushToken, sendMail } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { intentPublications, recordIntents, unqueuedIntents } from "@carillon/outbox";
import { bouncerClient, type BouncerClient } from "@carillon/push";
import {
  botAnswers,
  channel,
  createdSeries,
  dailySeries,
  device,
  forEachBackend,
  hangs,
  organization,
  pushToken,
  send,
  startWorker,
  toUsers,
  useBlocker,
  useDatabase,
  useFakeBouncer,
  useGateway,
  useQueues,
  user,
  waitFor,
  type TestAccount,
  type TestOrganization,
  type TestWorker,
} from "@carillon/testkit";
import { expect } from "chai";

import { guardBouncer } from "../bouncer.ts";

/** Jobs of these queues that a worker runs at once. */
const atOnce = declaredQueues.push.concurrency;

const backlog = atOnce + 10;

// once-and-again.md §5
forEachBackend("Commands to the scheduling bot, by way of the queue", (backend) => {
  const db = useDatabase();
  const gateway = useGateway(db, { site: { pushConfigured: true } });
  const queues = useQueues(backend, db);
  const blocker = useBlocker(db);
  const server = useFakeBouncer(25_000);
  let org: TestOrganization;
  let client: BouncerClient;
  let worker: TestWorker;
  let open: () => void;
  before(async () => {
    org = await organization(db);
    client = bouncerClient(server.config, "12.0");
    const of = await queues.connect();
    const opened = new Promise<void>((resolve) => (open = resolve));
    worker = await startWorker(db, of, {
      services: {
        bouncer: guardBouncer(client, { db, queues: of, log: silentLogger }),
        mailer: { about: "never answers", send: () => opened },
      },
    });
  });
  after(async () => {
    open();
    await worker.close(0);
    await client.close();
  });

  async function publish(job: string): Promise<void> {
    const intents = await unqueuedIntents(db, { jobs: [job], olderThanMs: 0, limit: 1_000 });
    await queues.publish(intentPublications(intents));
  }

  async function fillWithMail(): Promise<void> {
    const { id } = await db.prisma.auditLog.create({
      data: {
        realmId: org.realm.id,
        actingUserId: org.owner.id,
        modifiedUserId: org.member.id,
        eventType: "user_deactivated",
        extraData: { notification_comment: "" },
      },
    });
    const payload = { kind: "account-deactivated", auditId: Number(id) } as const;
    const intents = Array.from({ length: backlog }, (_, n) => ({ key: `mail-${n}`, payload }));
    await db.transaction((tx) => recordIntents(tx, org.realm.id, sendMail, intents));
    await publish(sendMail.name);
  }

  async function fillWithPushes(): Promise<void> {
    for (let n = 1; n <= backlog; n++) {
      const account = await user(db, org.realm);
      const id = await device(db, account, { key: { id: 1 } });
      const params = { device_id: id, ...pushToken(n) };
      await gateway.as(account).succeed(registerPushDevice, { params });
    }
    await publish(registerPushToken.name);
  }

  it("are answered while mail and calls of the push service hang and more of them wait", async () => {
    server.behave({ fault: hangs });
    await fillWithMail();
    await fillWithPushes();
    await waitFor(
      async () => {
        for (const name of ["push", "bouncer"] as const)
          expect(await queues.queue(name).counts()).to.include({
            active: atOnce,
            waiting: backlog - atOnce,
          });
        return true;
      },
      { what: "the jobs of both queues hang" },
    );
    await send(gateway.as(org.member), toUsers([org.schedulingBot.id], { content: "list" }));
    await publish(botCommand.name);
    const answers = () => botAnswers(db, org.schedulingBot, org.member);
    await waitFor(async () => (await answers()).length > 0, { what: "the bot answers" });
    expect((await answers()).map(({ content }) => content)).to.deep.equal(["Nothing is planned."]);
    for (const name of ["push", "bouncer"] as const)
      expect(worker.runner.begun().get(name), name).to.equal(atOnce);
  });

  it("do not wait for the commands of a person whose first one waits for a lock", async () => {
    const [hasty, other] = [await user(db, org.realm), await user(db, org.realm)];
    const room = await channel(db, org.realm, { subscribers: [hasty] });
    const series = await createdSeries(gateway.as(hasty), dailySeries(room.id));
    const command = (content: string) => toUsers([org.schedulingBot.id], { content });
    const answersTo = async (person: TestAccount) =>
      (await botAnswers(db, org.schedulingBot, person)).map(({ content }) => content);
    await blocker.lock("SELECT FROM message_series WHERE id = $1 FOR UPDATE", [series]);
    const first = await send(gateway.as(hasty), command(`pause s${series}`));
    for (let n = 0; n < 2 * declaredQueues.commands.concurrency; n++)
      await send(gateway.as(hasty), command("list"));
    await publish(botCommand.name);
    await waitFor(async () => (await blocker.waiting()) > 0, {
      what: "the first command waits for the series",
    });
    await send(gateway.as(other), command("list"));
    await publish(botCommand.name);
    await waitFor(async () => (await answersTo(other)).length > 0, {
      what: "the other is answered",
    });
    expect(await answersTo(hasty)).to.deep.equal([]);
    // On a busy machine the first command may have met its deadline of 20 s, and then only that command has failed.
    const attempts = await db.rows<{ attempts: number }>(
      `SELECT DISTINCT attempts FROM job_intent WHERE job = $1 AND (payload->>'userId')::int = $2
       AND (payload->>'messageId')::bigint <> $3`,
      [botCommand.name, hasty.id, first],
    );
    expect(attempts, "none of the commands behind it has failed").to.deep.equal([{ attempts: 0 }]);
    await blocker.release();
    // While it waited, the pauses between attempts of the commands behind it have doubled.
    await waitFor(
      async () => (await answersTo(hasty)).length === 1 + 2 * declaredQueues.commands.concurrency,
      { what: "all commands are answered", timeoutMs: 150_000 },
    );
    expect((await answersTo(hasty))[0]).to.contain("is paused");
  });
});
