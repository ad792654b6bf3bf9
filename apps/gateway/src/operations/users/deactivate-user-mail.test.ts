import { deactivateUser } from "@carillon/contract";
import { unqueuedIntents } from "@carillon/outbox";
import { sendMail } from "@carillon/jobs";
import {
  bot,
  organization,
  refused,
  runJob,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("DELETE /users/{user_id}: deactivation_notification_comment", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const remove = (target: TestAccount, deactivation_notification_comment?: string) =>
    gateway.as(org.owner).call(deactivateUser, {
      path: { user_id: target.id },
      params: { deactivation_notification_comment },
    });
  /** Runs the mail jobs and returns the mails. */
  const mail = async () => {
    const limits = { jobs: [sendMail.name], olderThanMs: 0, limit: 10 };
    const intents = await unqueuedIntents(db, limits);
    const runs = [];
    for (const { intentId, version } of intents)
      runs.push(await runJob(db, sendMail, { intentId, version }));
    return runs.flatMap((run) => run.mail);
  };
  const succeed = async (target: TestAccount, comment?: string) => {
    const { body } = await remove(target, comment);
    expect(body).to.deep.equal({ result: "success", msg: "" });
    return mail();
  };

  it("is not given: sends no mail", async () => {
    expect(await succeed(await user(db, org.realm))).to.deep.equal([]);
  });

  for (const comment of ["", " \n"])
    it(`is ${JSON.stringify(comment)}: sends a mail to the user, and none to their bots`, async () => {
      const target = await user(db, org.realm);
      await bot(db, target);
      const sent = await succeed(target, comment);
      expect(sent.map(({ to }) => to)).to.deep.equal([target.deliveryEmail]);
      expect(sent[0]?.text).not.to.include("An administrator adds");
    });

  for (const comment of [
    "🙂".repeat(2_000),
    "<script>alert(1)</script>\r\nBcc: eve@example.com\r\n\r\n.\r\n",
    "**not bold** @**all** \u202e",
  ])
    it(`is sent unchanged: ${JSON.stringify(comment.slice(0, 40))}`, async () => {
      const target = await user(db, org.realm);
      const [sent] = await succeed(target, ` \n${comment} `);
      expect(sent?.text).to.match(/\n\nAn administrator adds:\n\n/);
      expect(sent?.text.endsWith(`\n\n${comment.trim()}\n`)).to.equal(true);
    });

  it("is refused above 2000 characters after trimming", async () => {
    const target = await user(db, org.realm);
    for (const comment of ["x".repeat(2_001), "🙂".repeat(2_001)])
      await refused(db, () => remove(target, comment), "BAD_REQUEST");
    expect(await succeed(target, `${" ".repeat(100)}${"x".repeat(2_000)}\n`)).to.have.length(1);
  });

  it("is sent once for two concurrent requests", async () => {
    const target = await user(db, org.realm);
    const answers = await Promise.all([remove(target, "a"), remove(target, "b")]);
    expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    expect(await mail()).to.have.length(1);
  });

  it("is sent to the account's address at the time of sending", async () => {
    const target = await user(db, org.realm);
    await remove(target, "");
    await db.rows("UPDATE users SET delivery_email = 'moved@carillon.test' WHERE id = $1", [
      target.id,
    ]);
    expect((await mail()).map(({ to }) => to)).to.deep.equal(["moved@carillon.test"]);
  });

  it("is stored in the audit log only, not in a queue", async () => {
    const target = await user(db, org.realm);
    await remove(target, " So long ");
    const { actingUserId, extraData } = await db.prisma.auditLog.findFirstOrThrow({
      where: { modifiedUserId: target.id, eventType: "user_deactivated" },
    });
    expect(actingUserId).to.equal(org.owner.id);
    expect(extraData).to.deep.equal({ notification_comment: "So long" });
    const intents = await db.rows<{ payload: object }>("SELECT payload::text FROM job_intent");
    expect(JSON.stringify(intents)).not.to.include("So long");
  });
});
