import { recordIntents, unqueuedIntents } from "@carillon/outbox";
import { sendMail } from "@carillon/jobs";
import { MailRefused, type Mail, type Mailer } from "@carillon/mail";
import {
  organization,
  runJob,
  useDatabase,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("the job send-mail", () => {
  const db = useDatabase();
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  async function deactivated(account: TestAccount, comment = "") {
    const { id } = await db.prisma.auditLog.create({
      data: {
        realmId: account.realmId,
        actingUserId: org.owner.id,
        modifiedUserId: account.id,
        eventType: "user_deactivated",
        extraData: { notification_comment: comment },
      },
    });
    await db.transaction((tx) =>
      recordIntents(tx, account.realmId, sendMail, [
        { key: `test-${id}`, payload: { kind: "account-deactivated", auditId: Number(id) } },
      ]),
    );
    const [intent] = await unqueuedIntents(db, { jobs: [sendMail.name], olderThanMs: 0, limit: 9 });
    if (!intent) throw new Error("nothing was recorded");
    const { intentId, version } = intent;
    return { intentId, version };
  }
  const row = async ({ intentId }: { intentId: number }) => {
    const { state, attempts, lastError } = await db.prisma.jobIntent.findUniqueOrThrow({
      where: { id: intentId },
    });
    return { state, attempts, lastError };
  };
  const run = async (ref: { intentId: number; version: number }) =>
    (await runJob(db, sendMail, ref)).mail;
  const failing = (error: Error): Mailer => ({
    about: "fails",
    async send() {
      throw error;
    },
  });
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: Error) => error.name,
    );

  it("informs a person once of the deactivation, with the comment as written", async () => {
    const { member } = org;
    const ref = await deactivated(member, "Thank you,\n<b>Ada</b>");
    const { name, subdomain } = await db.prisma.realm.findUniqueOrThrow({
      where: { id: org.realm.id },
    });
    expect(await run(ref)).to.deep.equal([
      {
        id: `account-deactivated-${ref.intentId}`,
        to: member.deliveryEmail,
        senderName: name,
        subject: `Your account at ${name} has been deactivated`,
        text:
          `Your account ${member.deliveryEmail} at ${name} (http://${subdomain}.carillon.test) has been ` +
          "deactivated: you cannot log in any more.\n\nAn administrator adds:\n\nThank you,\n<b>Ada</b>\n",
      },
    ] satisfies Mail[]);
    expect(await row(ref)).to.deep.equal({ state: "done", attempts: 1, lastError: null });
    expect(await run(ref)).to.deep.equal([]);
  });

  it("omits an empty comment", async () => {
    const [mail] = await run(await deactivated(org.member));
    expect(mail?.text).to.match(/any more\.\n$/);
  });

  it("waits while the mail server is down, and is sent later", async () => {
    const ref = await deactivated(org.member);
    const away = { services: { mailer: failing(new Error("nobody there")) } };
    expect(await outcome(runJob(db, sendMail, ref, away))).to.equal("Error");
    expect(await row(ref)).to.deep.equal({
      state: "pending",
      attempts: 1,
      lastError: "nobody there",
    });
    expect(await run(ref)).to.have.length(1);
    expect(await row(ref)).to.deep.equal({ state: "done", attempts: 2, lastError: null });
  });

  it("becomes a dead letter when the server refuses it permanently, and after the last attempt", async () => {
    for (const [error, attempt] of [
      [new MailRefused("no such mailbox"), 1],
      [new Error("nobody there"), sendMail.retry.attempts],
    ] as const) {
      const ref = await deactivated(org.member);
      const options = { services: { mailer: failing(error) }, attempt };
      expect(await outcome(runJob(db, sendMail, ref, options))).not.to.equal(undefined);
      expect(await row(ref)).to.deep.include({ state: "dead", lastError: error.message });
    }
  });

  it("holds neither a connection nor a transaction while the mail server is slow", async () => {
    const ref = await deactivated(org.member);
    const idle: boolean[] = [];
    const mailer: Mailer = {
      about: "looks",
      async send() {
        const open = await db.rows(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
        );
        idle.push(open.length === 0);
      },
    };
    await runJob(db, sendMail, ref, { services: { mailer } });
    expect(idle).to.deep.equal([true]);
  });
});
