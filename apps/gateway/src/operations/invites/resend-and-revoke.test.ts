import { listInvites, resendInvite, revokeInvite, roles, sendInvites } from "@carillon/contract";
import { sendMail } from "@carillon/jobs";
import type { Mailer } from "@carillon/mail";
import { unqueuedIntents } from "@carillon/outbox";
import {
  eventsOf,
  organization,
  refused,
  runJob,
  sentMails,
  type TestAccount,
  unique,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /invites/{id}/resend and DELETE /invites/{id}", () => {
  const scene = useScene();
  const { db } = scene;
  const address = () => `${unique("new")}@example.com`;
  const rowOf = (email: string) =>
    db.prisma.invitation.findFirstOrThrow({ where: { email }, orderBy: { id: "desc" } });
  /** Invites an address. */
  const one = async (by: TestAccount, params: { readonly invite_as?: number } = {}) => {
    const email = address();
    await scene.as(by).succeed(sendInvites, {
      params: { invitee_emails: email, stream_ids: [], ...params },
    });
    return { email, id: (await rowOf(email)).id };
  };
  const resend = (by: TestAccount, id: number) =>
    scene.as(by).call(resendInvite, { path: { invite_id: id } });
  const revoke = (by: TestAccount, id: number) =>
    scene.as(by).call(revokeInvite, { path: { invite_id: id } });

  it("mails the same link again, with the same expiry, in a new mail", async () => {
    const { email, id } = await one(scene.org.member);
    const [first] = (await sentMails(db)).filter(({ to }) => to === email);
    const before = await rowOf(email);
    const { result, events } = await eventsOf(db, scene.org.realm.id, () =>
      resend(scene.org.admin, id),
    );
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    expect(events).to.deep.equal([]);
    const [second, ...more] = await sentMails(db);
    expect(more).to.deep.equal([]);
    expect(second?.text).to.equal(first?.text);
    expect([first?.id, second?.id]).to.deep.equal([`invitation-${id}-1`, `invitation-${id}-2`]);
    expect((await rowOf(email)).expiresAt).to.deep.equal(before.expiresAt);
  });

  it("waits while the mail server is away, and sends one mail however often the job runs", async () => {
    await sentMails(db);
    const { email, id } = await one(scene.org.member);
    const before = await rowOf(email);
    const intents = await unqueuedIntents(db, {
      jobs: [sendMail.name],
      olderThanMs: 0,
      limit: 9,
    });
    expect(intents).to.have.length(1);
    const [intent] = intents;
    const ref = { intentId: intent?.intentId ?? 0, version: intent?.version ?? 0 };
    const away: Mailer = {
      about: "away",
      async send() {
        throw new Error("the mail server does not answer");
      },
    };
    const outcome = await runJob(db, sendMail, ref, { services: { mailer: away } }).then(
      () => "sent",
      () => "failed",
    );
    expect(outcome).to.equal("failed");
    expect((await rowOf(email)).expiresAt).to.deep.equal(before.expiresAt);
    const twice = [];
    for (let i = 0; i < 2; i++) twice.push(...(await runJob(db, sendMail, ref)).mail);
    expect(twice.map((mail) => mail.id)).to.deep.equal([`invitation-${id}-1`]);
  });

  it("sends no mail for an invitation that was revoked, has expired, or whose maker may not invite any more", async () => {
    const { member, realm } = scene.org;
    await sentMails(db);
    const revoked = await one(member);
    expect((await revoke(member, revoked.id)).body.result).to.equal("success");
    const expired = await one(member);
    await db.rows("UPDATE invitations SET expires_at = now() WHERE id = $1", [expired.id]);
    const maker = await user(db, realm);
    await one(maker);
    await db.rows("UPDATE users SET role = 600 WHERE id = $1", [maker.id]);
    expect(await sentMails(db)).to.deep.equal([]);
  });

  it("is allowed for the maker and administrators; for an owner's invitation, only for owners", async () => {
    const { owner, admin, moderator, member, guest, bot } = scene.org;
    for (const act of [resend, revoke]) {
      const { id } = await one(member);
      for (const by of [moderator, guest, bot]) await refused(db, () => act(by, id), "BAD_REQUEST");
      const strong = await one(owner, { invite_as: roles.owner });
      await refused(db, () => act(member, strong.id), "BAD_REQUEST");
      await refused(db, () => act(admin, strong.id), "UNAUTHORIZED_PRINCIPAL");
      expect((await act(owner, strong.id)).body.result).to.equal("success");
      expect((await act(admin, id)).body.result).to.equal("success");
    }
  });

  it("refuses an id that is unknown, used, expired, revoked, of the other kind or organization", async () => {
    const { owner, member, realm } = scene.org;
    const [revoked, expired, used] = [await one(member), await one(member), await one(member)];
    await revoke(member, revoked.id);
    await db.rows("UPDATE invitations SET expires_at = now() WHERE id = $1", [expired.id]);
    await db.rows("UPDATE invitations SET ended_at = now(), joined_id = $2 WHERE id = $1", [
      used.id,
      owner.id,
    ]);
    const link = await db.prisma.invitation.create({
      data: {
        realmId: realm.id,
        kind: "multiuse",
        makerId: owner.id,
        role: 400,
        includeDefaults: false,
        notifyReferrer: false,
        keyDigest: Buffer.from("digest"),
        keySealed: Buffer.from("sealed"),
      },
    });
    const other = await organization(db);
    await scene.as(other.owner).succeed(sendInvites, {
      params: { invitee_emails: address(), stream_ids: [] },
    });
    const [foreign] = (await scene.as(other.owner).succeed(listInvites)).invites;
    const ids = [revoked.id, expired.id, used.id, link.id, foreign?.id ?? 0, 0, 2_147_483_648];
    for (const id of ids)
      for (const act of [resend, revoke]) await refused(db, () => act(owner, id), "BAD_REQUEST");
    await db.prisma.invitation.delete({ where: { id: link.id } });
  });

  it("sends an event for a revocation, and removes the invitation from the list", async () => {
    const { member, realm } = scene.org;
    const { id } = await one(member);
    const { events } = await eventsOf(db, realm.id, () => revoke(scene.org.admin, id));
    expect(events.map(({ type }) => type)).to.deep.equal(["invites_changed"]);
    expect(events[0]?.audience).to.include(member.id);
    const { invites } = await scene.as(member).succeed(listInvites);
    expect(invites.map((each) => each.id)).not.to.include(id);
    await refused(db, () => revoke(member, id), "BAD_REQUEST");
  });
});
