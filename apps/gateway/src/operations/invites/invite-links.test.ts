import {
  createInviteLink,
  type InputOf,
  listInvites,
  resendInvite,
  revokeInvite,
  revokeInviteLink,
  roles,
  sendInvites,
} from "@carillon/contract";
import {
  changeOrganization,
  eventsOf,
  keyIn,
  organization,
  refused,
  type TestAccount,
  unique,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Partial<Record<keyof InputOf<typeof createInviteLink>, unknown>>;

describe("POST /invites/multiuse", () => {
  const scene = useScene();
  const { db } = scene;
  const create = (by: TestAccount, params: Params = {}) =>
    scene.as(by).call(createInviteLink, { params });
  const list = async (by: TestAccount) => (await scene.as(by).succeed(listInvites)).invites;
  const revoke = (by: TestAccount, id: number) =>
    scene.as(by).call(revokeInviteLink, { path: { invite_id: id } });

  it("makes a link, which the list shows to administrators and the maker", async () => {
    const { admin, owner, member, realm } = scene.org;
    const { result, events } = await eventsOf(db, realm.id, () =>
      create(admin, { invite_expires_in_minutes: null }),
    );
    expect(result.body.result, result.body.msg).to.equal("success");
    const { invite_link: link } = result.body;
    expect(keyIn(link)).to.have.length(32);
    expect(link).to.match(
      new RegExp(`^http://${realm.subdomain}\\.carillon\\.test/join/\\w{32}/$`),
    );
    expect(events.map(({ type, payload }) => [type, payload])).to.deep.equal([
      ["invites_changed", {}],
    ]);
    expect(events[0]?.audience).to.have.members([owner.id, admin.id]);
    const [entry, ...more] = await list(owner);
    expect(more).to.deep.equal([]);
    const row = await db.prisma.invitation.findUniqueOrThrow({ where: { id: entry?.id ?? 0 } });
    expect(entry).to.deep.equal({
      id: row.id,
      invited_by_user_id: admin.id,
      invited: Math.floor(row.createdAt.getTime() / 1_000),
      expiry_date: null,
      invited_as: 400,
      is_multiuse: true,
      link_url: link,
    });
    expect(await list(member)).to.deep.equal([]);
    expect(Buffer.from(row.keySealed).toString("latin1")).not.to.include(keyIn(link));
  });

  it("is for members of the permission's group, without guests and bots", async () => {
    const { realm, groups, member, moderator, guest, bot } = scene.org;
    for (const by of [member, moderator, guest, bot])
      await refused(db, () => create(by), "BAD_REQUEST");
    for (const by of [guest, bot])
      await refused(db, () => scene.as(by).call(listInvites), "BAD_REQUEST");
    await changeOrganization(db, realm, { createMultiuseInviteGroupId: groups["role:everyone"] });
    expect((await create(member)).body.result).to.equal("success");
    await refused(db, () => create(guest), "BAD_REQUEST");
    await refused(db, () => create(member, { invite_as: 300 }), "BAD_REQUEST");
    await refused(db, () => create(member, { invite_as: 100 }), "UNAUTHORIZED_PRINCIPAL");
    await changeOrganization(db, realm, {
      createMultiuseInviteGroupId: groups["role:administrators"],
    });
  });

  for (const params of [
    { invite_as: '"400"' },
    { stream_ids: '["1"]' },
    { stream_ids: "[0]" },
    { group_ids: "[0]" },
    { invite_expires_in_minutes: 0 },
    { welcome_message_custom_text: "x".repeat(8_001) },
  ] satisfies Params[])
    it(`refuses ${JSON.stringify(params).slice(0, 60)}`, () =>
      refused(db, () => create(scene.org.owner, params), "BAD_REQUEST"));

  it("reports parameters that only invitations have", async () => {
    const { body } = await scene.as(scene.org.owner).call(createInviteLink, {
      params: { notify_referrer_on_join: true },
    });
    expect(body.ignored_parameters_unsupported).to.deep.equal(["notify_referrer_on_join"]);
  });

  it("can be revoked once, by its maker and administrators; a link for owners by owners only", async () => {
    const { owner, admin, moderator, guest, realm } = scene.org;
    await create(owner, { invite_as: roles.owner });
    await create(owner);
    const [plain, strong] = (await list(owner)).sort((a, b) => b.id - a.id);
    await refused(db, () => revoke(admin, strong?.id ?? 0), "UNAUTHORIZED_PRINCIPAL");
    for (const by of [moderator, guest])
      await refused(db, () => revoke(by, plain?.id ?? 0), "BAD_REQUEST");
    const { result, events } = await eventsOf(db, realm.id, () => revoke(admin, plain?.id ?? 0));
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    expect(events.map(({ type }) => type)).to.deep.equal(["invites_changed"]);
    await refused(db, () => revoke(admin, plain?.id ?? 0), "BAD_REQUEST");
    expect((await revoke(owner, strong?.id ?? 0)).body.result).to.equal("success");
  });

  it("refuses ids of the other kind and of other organizations", async () => {
    const { owner } = scene.org;
    const other = await organization(db);
    await scene.as(other.owner).succeed(createInviteLink, { params: {} });
    const [foreign] = (await scene.as(other.owner).succeed(listInvites)).invites;
    await scene.as(owner).succeed(sendInvites, {
      params: { invitee_emails: `${unique("one")}@example.com`, stream_ids: [] },
    });
    const mailed = (await list(owner)).find(({ is_multiuse: is }) => !is);
    for (const id of [foreign?.id ?? 0, mailed?.id ?? 0, 0, 4_000_000_000])
      await refused(db, () => revoke(owner, id), "BAD_REQUEST");
    await create(owner);
    const link = (await list(owner)).find(({ is_multiuse: is }) => is);
    for (const operation of [resendInvite, revokeInvite])
      await refused(
        db,
        () => scene.as(owner).call(operation, { path: { invite_id: link?.id ?? 0 } }),
        "BAD_REQUEST",
      );
  });

  it("lets an organization have 1000 reusable links", async () => {
    const { realm, owner } = await organization(db);
    await db.rows(
      `INSERT INTO invitations (realm_id, kind, maker_id, role, include_defaults, notify_referrer, key_digest, key_sealed, expires_at)
       SELECT $1, 'multiuse', $2, 400, false, false, sha256(('k' || n)::bytea), '', CASE WHEN n = 1 THEN now() END
       FROM generate_series(1, 1000) n`,
      [realm.id, owner.id],
    );
    expect((await create(owner)).body.result).to.equal("success");
    await refused(db, () => create(owner), "BAD_REQUEST");
  });

  it("lists thousands of invitations", async () => {
    const { realm, owner, member } = await organization(db);
    await db.rows(
      `INSERT INTO invitations (realm_id, kind, maker_id, email, role, include_defaults, notify_referrer, key_digest, key_sealed)
       SELECT $1, 'email', $2, 'p' || n || '@example.com', 400, false, true, sha256(('e' || n)::bytea), ''
       FROM generate_series(1, 3000) n`,
      [realm.id, member.id],
    );
    const all = await list(owner);
    expect(all).to.have.length(3_000);
    expect(new Set(all.map(({ id }) => id)).size).to.equal(3_000);
  });
});
