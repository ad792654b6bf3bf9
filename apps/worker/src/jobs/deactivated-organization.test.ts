import { setDeactivated } from "@carillon/domain";
import { sendMail, sendNotice } from "@carillon/jobs";
import { recordIntents } from "@carillon/outbox";
import { overdueRealms, readLag } from "@carillon/scheduling";
import {
  channel,
  deliver,
  deliverNow,
  eventsSince,
  failsWithNotice,
  forgetIntents,
  inChannel,
  lastEventSeq,
  makeDue,
  messagesOf,
  organization,
  pendingPayloads,
  runIntents,
  runJob,
  scheduledMessage,
  storedRow,
  type TestOrganization,
  user,
  useScene,
} from "@carillon/testkit";
import { roles } from "@carillon/contract";
import { expect } from "chai";

import { resumeIntents } from "../recurring/repair-intents.ts";

describe("A deactivated organization", () => {
  const scene = useScene();
  let org: TestOrganization;
  before(async () => {
    org = await organization(scene.db);
  });
  const set = (deactivated: boolean) =>
    scene.db.transaction((tx) => setDeactivated(tx, org.realm.id, deactivated));
  beforeEach(() => forgetIntents(scene.db, sendMail, sendNotice));
  afterEach(() => set(false));

  describe("keeps its scheduled messages waiting", () => {
    const schedule = async () => {
      const room = await channel(scene.db, org.realm, { subscribers: [org.member] });
      return { room, row: await scheduledMessage(scene.db, org.member, room) };
    };

    it("without failing them, and without counting as late", async () => {
      const { db } = scene;
      const { room, row } = await schedule();
      await makeDue(db, row.id, -60);
      await set(true);
      const seq = await lastEventSeq(db, org.realm.id);
      await deliver(db, org.realm);
      expect(await storedRow(db, row.id)).to.include({ delivered: false, failed: false });
      expect(await eventsSince(db, org.realm.id, seq)).to.deep.equal([]);
      expect(await overdueRealms(db, 10_000)).to.deep.equal([]);
      expect(await readLag(db)).to.include({ dueLag: 0, overdue: 0 });

      await set(false);
      expect(await overdueRealms(db, 10_000)).to.deep.equal([{ realmId: org.realm.id, rows: 1 }]);
      expect(await readLag(db)).to.include({ overdue: 1 });
      await deliver(db, org.realm);
      const sent = await messagesOf(scene.as(org.member), inChannel(room.id));
      expect(sent.map(({ content }) => content)).to.deep.equal([row.content]);
    });

    it("and fails those that are too late after the reactivation, with a notice that names the reason", async () => {
      const { row } = await schedule();
      await set(true);
      await set(false);
      const world = { ...scene, org };
      const failed = await failsWithNotice(world, org.member, row.id, 3_600);
      expect(failed.failureMessage).to.equal("The organization was deactivated at that time.");
    });

    it("and blames the server for a message that was due after the reactivation", async () => {
      const { db } = scene;
      const { row } = await schedule();
      await set(true);
      await set(false);
      await db.rows("UPDATE realms SET reactivated_at = now() - interval '2 hours' WHERE id = $1", [
        org.realm.id,
      ]);
      await deliverNow(db, org.realm, [row.id], 3_600);
      expect((await storedRow(db, row.id))?.failureMessage).to.match(/^The server was more than/);
    });
  });

  describe("keeps its jobs waiting", () => {
    const record = async () => {
      const { db } = scene;
      const { id } = await db.prisma.auditLog.create({
        data: {
          realmId: org.realm.id,
          modifiedUserId: org.member.id,
          eventType: "user_deactivated",
          extraData: { notification_comment: "" },
        },
      });
      await db.transaction((tx) =>
        recordIntents(tx, org.realm.id, sendMail, [
          { key: `test-${id}`, payload: { kind: "account-deactivated", auditId: Number(id) } },
        ]),
      );
      return db.prisma.jobIntent.findFirstOrThrow({
        where: { uniqueKey: `${sendMail.name}/test-${id}` },
      });
    };
    const run = async ({ id, version }: { id: bigint; version: number }) =>
      (await runJob(scene.db, sendMail, { intentId: Number(id), version })).mail;
    const published: unknown[] = [];
    const queues = {
      publish: async (jobs: readonly unknown[]) => void published.push(...jobs),
    };
    const resume = () =>
      resumeIntents({ db: scene.db, queues } as unknown as Parameters<typeof resumeIntents>[0]);

    it("and does them once after the reactivation", async () => {
      const { db } = scene;
      const intent = await record();
      await set(true);
      await forgetOwnerMails();
      expect(await run(intent)).to.deep.equal([]);
      expect(await resume(), "while it is deactivated").to.equal(0);
      await set(false);
      expect(await run(intent), "an old job of it").to.have.length(1);
      expect(await resume(), "one that is done").to.equal(0);

      const second = await record();
      await set(true);
      await forgetOwnerMails();
      expect(await run(second)).to.deep.equal([]);
      await set(false);
      expect(await resume()).to.equal(1);
      expect(await resume(), "a second time").to.equal(0);
      expect(await run(second), "a job of the version before").to.deep.equal([]);
      const resumed = await db.prisma.jobIntent.findUniqueOrThrow({ where: { id: second.id } });
      expect(resumed.version).to.equal(second.version + 1);
      expect(await run(resumed)).to.have.length(1);
      expect(published).to.have.length(1);
    });

    const forgetOwnerMails = () =>
      scene.db.prisma.jobIntent.deleteMany({
        where: { uniqueKey: { startsWith: `${sendMail.name}/organization-deactivated` } },
      });
  });

  it("mails each active owner at once who deactivated it", async () => {
    const { db } = scene;
    const second = await user(db, org.realm, { role: roles.owner });
    await user(db, org.realm, { role: roles.owner, isActive: false });
    await set(true);
    expect(await pendingPayloads(db, sendMail)).to.deep.equal(
      [org.owner, second].map(({ id }) => ({
        kind: "organization-deactivated",
        userId: id,
        actorId: null,
      })),
    );
    const mails = (await runIntents(db, sendMail)).flatMap(({ mail }) => mail);
    expect(mails.map(({ to }) => to)).to.deep.equal([
      org.owner.deliveryEmail,
      second.deliveryEmail,
    ]);
    expect(mails[0]?.text).to.include("has been deactivated by an operator of the server.");

    await set(false);
    await set(true);
    expect(await pendingPayloads(db, sendMail), "a second time").to.have.length(2);
    await set(false);
    const late = (await runIntents(db, sendMail)).flatMap(({ mail }) => mail);
    expect(late, "after the reactivation").to.deep.equal([]);
  });
});
