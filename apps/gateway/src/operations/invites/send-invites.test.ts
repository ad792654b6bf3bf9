import {
  type InputOf,
  listInvites,
  resendInvite,
  roles,
  sendInvites,
  updateRealm,
} from "@carillon/contract";
import { sendMail } from "@carillon/jobs";
import {
  changeOrganization,
  channel,
  deactivateUser,
  eventsOf,
  forgetIntents,
  organization,
  pendingPayloads,
  refused,
  refusedWith,
  sentMails,
  startGateway,
  type TestAccount,
  unique,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Partial<Record<keyof InputOf<typeof sendInvites>, unknown>>;

describe("POST /invites", () => {
  const scene = useScene();
  const { db } = scene;
  const address = () => `${unique("new")}@example.com`;
  const send = (by: TestAccount, params: Params = {}) =>
    scene.as(by).call(sendInvites, {
      params: { invitee_emails: address(), stream_ids: [], ...params },
    });
  const invited = async (by: TestAccount, params: Params = {}) => {
    const { body } = await send(by, params);
    expect(body, JSON.stringify(params)).to.deep.equal({ result: "success", msg: "" });
  };
  const list = async (by: TestAccount) => (await scene.as(by).succeed(listInvites)).invites;
  const refuses = (by: TestAccount, params: Params, code = "BAD_REQUEST") =>
    refused(db, () => send(by, params), code);
  const rowOf = (email: string) =>
    db.prisma.invitation.findFirstOrThrow({
      where: { email },
      include: { channels: true, groups: true },
      orderBy: { id: "desc" },
    });

  it("mails each address a link, and shows the invitations to the maker and to administrators", async () => {
    const { member, admin, moderator, realm } = scene.org;
    const [one, two] = [address(), address()];
    const { events } = await eventsOf(db, realm.id, () =>
      invited(member, {
        invitee_emails: `${one}, ,\n"Zoë Ann" <${two}>\r\n${one.toUpperCase()}`,
        invite_as: roles.guest,
        invite_expires_in_minutes: 60,
        notify_referrer_on_join: false,
      }),
    );
    expect(events.map(({ type, op, payload }) => [type, op, payload])).to.deep.equal([
      ["invites_changed", null, {}],
    ]);
    expect(events[0]?.audience).to.have.members([scene.org.owner.id, admin.id, member.id]);
    const mails = await sentMails(db);
    expect(mails.map(({ to }) => to)).to.have.members([one, two]);
    for (const mail of mails) {
      expect(mail.subject).to.equal(`You are invited to join ${realm.name}`);
      expect(mail.text).to.match(
        new RegExp(`^http://${realm.subdomain}\\.carillon\\.test/join/[0-9A-Za-z]{32}/$`, "m"),
      );
      expect(mail.text).to.include(member.fullName);
    }
    expect(new Set(mails.map(({ text }) => text)).size).to.equal(2);
    const [first, second] = [await rowOf(one), await rowOf(two)];
    expect([first.fullName, second.fullName]).to.deep.equal([null, "Zoë Ann"]);
    const seen = await list(member);
    const created = Math.floor(first.createdAt.getTime() / 1_000);
    expect(seen.find(({ id }) => id === first.id)).to.deep.equal({
      id: first.id,
      invited_by_user_id: member.id,
      invited: created,
      expiry_date: created + 3_600,
      invited_as: 600,
      is_multiuse: false,
      email: one,
      notify_referrer_on_join: false,
    });
    expect(await list(admin)).to.deep.include.members(seen);
    expect(await list(moderator)).to.deep.equal([]);
  });

  it("gives a member's invitation the documented defaults", async () => {
    const email = address();
    await invited(scene.org.member, { invitee_emails: email });
    const row = await rowOf(email);
    expect(row).to.include({
      kind: "email",
      role: 400,
      includeDefaults: false,
      notifyReferrer: true,
      welcomeText: null,
      mails: 1,
    });
    const minutes = (Number(row.expiresAt) - Number(row.createdAt)) / 60_000;
    expect(minutes).to.equal(14_400);
    await invited(scene.org.member, { invitee_emails: email, invite_expires_in_minutes: null });
    expect((await rowOf(email)).expiresAt).to.equal(null);
    const own = (await list(scene.org.member)).filter(
      (each) => "email" in each && each.email === email,
    );
    expect(own.map(({ expiry_date }) => expiry_date === null)).to.deep.equal([false, true]);
  });

  for (const params of [
    { invitee_emails: "" },
    { invitee_emails: " , \n ," },
    { invitee_emails: Array.from({ length: 101 }, (_, i) => `a${i}@example.com`).join(",") },
    { invitee_emails: "a\u0000@example.com" },
    { invitee_emails: "a@example.com,".repeat(10_001) },
    { invitee_emails: ",".repeat(600_000) },
    { invite_as: '"400"' },
    { invite_as: "400.0" },
    { invite_as: 500 },
    { invite_as: 0 },
    { invite_as: 2_147_483_648 },
    { stream_ids: "{}" },
    { stream_ids: '["1"]' },
    { stream_ids: "[1.5]" },
    { stream_ids: "[0]" },
    { stream_ids: "[2147483648]" },
    { stream_ids: "[".repeat(10_000) },
    { group_ids: "[2147483648]" },
    { group_ids: "[[1]]" },
    { invite_expires_in_minutes: 0 },
    { invite_expires_in_minutes: -1 },
    { invite_expires_in_minutes: 5_256_001 },
    { invite_expires_in_minutes: '"60"' },
    { include_realm_default_subscriptions: "yes" },
    { notify_referrer_on_join: 1 },
    { welcome_message_custom_text: "Hi" },
  ] satisfies Params[])
    it(`refuses a member's ${JSON.stringify(params).slice(0, 70)}`, () =>
      refuses(scene.org.member, params));

  it("refuses an extremely long address with an extremely long name", () =>
    refuses(
      scene.org.member,
      { invitee_emails: "<".repeat(600_000) + ">".repeat(10_000) },
      "INVITATION_FAILED",
    ));

  it("requires addresses and channels", async () => {
    for (const name of ["invitee_emails", "stream_ids"])
      await refused(
        db,
        () => send(scene.org.member, { [name]: undefined }),
        "REQUEST_VARIABLE_MISSING",
        { var_name: name },
      );
  });

  it("checks the permission first, then role, addresses, channels, groups, text and each address", async () => {
    const { admin, guest } = scene.org;
    const wrong = {
      invite_as: roles.owner,
      invitee_emails: " , ",
      stream_ids: [0],
      group_ids: [0],
      welcome_message_custom_text: "x".repeat(8_001),
    };
    await refuses(guest, wrong);
    await refuses(admin, wrong, "UNAUTHORIZED_PRINCIPAL");
    const reasons: string[] = [];
    const mended: Params = { ...wrong, invite_as: roles.member };
    for (const [name, value] of [
      ["invitee_emails", "nonsense"],
      ["stream_ids", []],
      ["group_ids", []],
      ["welcome_message_custom_text", ""],
    ] as const) {
      reasons.push((await send(admin, mended)).body.msg);
      mended[name] = value;
    }
    expect(reasons[0]).to.include("invitee_emails");
    expect(reasons[1]).to.match(/channel/i);
    expect(reasons[2]).to.match(/group/i);
    expect(reasons[3]).to.include("welcome_message_custom_text");
    await refuses(admin, mended, "INVITATION_FAILED");
  });

  it("accepts 100 addresses, each once", async () => {
    const many = Array.from({ length: 100 }, () => address());
    await forgetIntents(db, sendMail);
    await invited(scene.org.admin, { invitee_emails: [...many, ...many].join("\n") });
    const rows = await db.prisma.invitation.count({ where: { email: { in: many } } });
    expect(rows).to.equal(100);
    expect(await pendingPayloads(db, sendMail)).to.have.length(100);
    await forgetIntents(db, sendMail);
  });

  it("refuses guests, bots, and members without the permission", async () => {
    const { guest, bot, member, realm, groups } = scene.org;
    await refuses(guest, {});
    await refuses(bot, {});
    await changeOrganization(db, realm, { canInviteUsersGroupId: groups["role:moderators"] });
    await refuses(member, {});
    await invited(scene.org.moderator);
    await changeOrganization(db, realm, { canInviteUsersGroupId: groups["role:members"] });
  });

  it("lets owners invite everyone, administrators everyone but owners, others members and guests", async () => {
    const { owner, admin, moderator, member } = scene.org;
    const wanted: ReadonlyArray<readonly [TestAccount, Readonly<Record<number, string>>]> = [
      [owner, {}],
      [admin, { 100: "UNAUTHORIZED_PRINCIPAL" }],
      [moderator, { 100: "UNAUTHORIZED_PRINCIPAL", 200: "BAD_REQUEST", 300: "BAD_REQUEST" }],
      [member, { 100: "UNAUTHORIZED_PRINCIPAL", 200: "BAD_REQUEST", 300: "BAD_REQUEST" }],
    ];
    for (const [by, codes] of wanted)
      for (const role of [100, 200, 300, 400, 600]) {
        const code = codes[role];
        if (code === undefined) await invited(by, { invite_as: role });
        else await refuses(by, { invite_as: role }, code);
      }
  });

  it("accepts default channels and channels to which the caller may subscribe others", async () => {
    const { owner, admin, member, realm, groups } = scene.org;
    const room = await channel(db, admin);
    const preset = await channel(db, admin, { isDefault: true });
    const hidden = await channel(db, owner, { inviteOnly: true, subscribers: [owner] });
    const own = await channel(db, admin, { inviteOnly: true, subscribers: [member] });
    const archived = await channel(db, admin, { isArchived: true, subscribers: [member] });
    const foreign = await organization(db);
    const elsewhere = await channel(db, foreign.owner);
    await invited(member, { stream_ids: [room.id, preset.id, own.id, room.id] });
    for (const { id } of [hidden, archived, elsewhere])
      await refuses(member, { stream_ids: [room.id, id] });
    // An administrator sees it, but can neither read it nor subscribe others.
    await refuses(admin, { stream_ids: [hidden.id] });
    await changeOrganization(db, realm, { canAddSubscribersGroupId: groups["role:moderators"] });
    await refuses(member, { stream_ids: [own.id] });
    await invited(member, { stream_ids: [preset.id] });
    await changeOrganization(db, realm, { canAddSubscribersGroupId: groups["role:members"] });
  });

  it("accepts named groups to which the caller may add members", async () => {
    const { admin, member, groups, realm } = scene.org;
    const crew = await userGroup(db, realm);
    const gone = await userGroup(db, realm, { deactivated: true });
    const foreign = await userGroup(db, (await organization(db)).realm);
    await db.rows("UPDATE named_user_group SET can_add_members_group_id = $2 WHERE id = $1", [
      crew.id,
      groups["role:members"],
    ]);
    const email = address();
    await invited(member, { invitee_emails: email, group_ids: [crew.id, crew.id] });
    expect((await rowOf(email)).groups.map(({ groupId }) => groupId)).to.deep.equal([crew.id]);
    for (const id of [gone.id, foreign.id, groups["role:members"]])
      await refuses(admin, { group_ids: [crew.id, id] });
    await db.rows("UPDATE named_user_group SET can_add_members_group_id = $2 WHERE id = $1", [
      crew.id,
      groups["role:nobody"],
    ]);
    await refuses(member, { group_ids: [crew.id] });
  });

  it("lets administrators set the welcome text, of 8000 characters at most", async () => {
    const { admin } = scene.org;
    for (const text of ["🙂".repeat(8_000), "", "null"]) {
      const email = address();
      const answer = await send(admin, {
        invitee_emails: email,
        welcome_message_custom_text: text,
      });
      if (text.length > 10_000) continue;
      expect(answer.body.result, answer.body.msg).to.equal("success");
      expect((await rowOf(email)).welcomeText).to.equal(text);
    }
    await refuses(admin, { welcome_message_custom_text: "x".repeat(8_001) });
    await refuses(scene.org.moderator, { welcome_message_custom_text: "" });
  });

  it("limits the product of addresses and channels or groups", async () => {
    const rooms: number[] = [];
    for (let i = 0; i < 3; i++) rooms.push((await channel(db, scene.org.admin)).id);
    const many = Array.from({ length: 100 }, () => address()).join(",");
    const ids = [...rooms, ...Array.from({ length: 38 }, (_, i) => 1_000_000 + i)];
    const { msg } = await refuses(scene.org.admin, { invitee_emails: many, stream_ids: ids });
    expect(msg).to.include("4000");
    await invited(scene.org.admin, { invitee_emails: many, stream_ids: rooms });
    await forgetIntents(db, sendMail);
  });

  describe("INVITATION_FAILED", () => {
    const failed = (
      by: TestAccount,
      addresses: readonly string[],
      errors: ReadonlyArray<readonly [string, boolean]>,
      more: object = {},
    ) =>
      refused(
        db,
        () => send(by, { invitee_emails: addresses.join(",") }),
        "INVITATION_FAILED",
      ).then((body) => {
        const { errors: found, ...rest } = body as unknown as {
          errors: Array<[string, string, boolean]>;
        };
        expect(found.map(([email, , deactivated]) => [email, deactivated])).to.deep.equal(errors);
        for (const [, why] of found) expect(why).to.be.a("string").that.is.not.equal("");
        expect(rest).to.deep.include({
          sent_invitations: false,
          license_limit_reached: false,
          daily_limit_reached: false,
          ...more,
        });
      });

    it("invites nobody if an address is invalid, and names the invalid and the skipped", async () => {
      const { member, org } = { member: scene.org.member, org: scene.org };
      await failed(
        member,
        [address(), "nonsense", "a b@example.com", org.admin.deliveryEmail],
        [
          ["nonsense", false],
          ["a b@example.com", false],
          [org.admin.deliveryEmail, false],
        ],
      );
      await failed(member, ["x@0-mail.com"], [["x@0-mail.com", false]]);
      await failed(
        member,
        [`user7@${org.realm.subdomain}.carillon.test`],
        [[`user7@${org.realm.subdomain}.carillon.test`, false]],
      );
    });

    it("invites nobody if all addresses have accounts, in any case and state", async () => {
      const gone = await user(db, scene.org.realm);
      await deactivateUser(db, gone);
      await failed(
        scene.org.member,
        [
          scene.org.admin.deliveryEmail.toUpperCase(),
          gone.deliveryEmail,
          scene.org.bot.deliveryEmail,
        ],
        [
          [scene.org.admin.deliveryEmail.toUpperCase(), false],
          [gone.deliveryEmail, true],
          [scene.org.bot.deliveryEmail, false],
        ],
      );
    });

    it("invites the others if some addresses have accounts, and says so", async () => {
      await forgetIntents(db, sendMail);
      const { member, admin } = scene.org;
      const email = address();
      const answer = await send(member, { invitee_emails: `${admin.deliveryEmail},${email}` });
      refusedWith(answer, "INVITATION_FAILED", {
        errors: [[admin.deliveryEmail, "Already has an account", false]],
        sent_invitations: true,
        license_limit_reached: false,
        daily_limit_reached: false,
      });
      expect((await sentMails(db)).map(({ to }) => to)).to.deep.equal([email]);
    });

    it("follows the organization's restriction to domains", async () => {
      const { owner, member, realm } = scene.org;
      await db.prisma.realmDomain.create({
        data: { realmId: realm.id, domain: "example.org", allowSubdomains: true },
      });
      await scene
        .as(owner)
        .succeed(updateRealm, { params: { emails_restricted_to_domains: true } });
      await failed(
        member,
        ["a@example.com", "a+b@example.org", "c@example.org"],
        [
          ["a@example.com", false],
          ["a+b@example.org", false],
        ],
      );
      await invited(member, { invitee_emails: `${unique("x")}@eu.example.org` });
      await scene
        .as(owner)
        .succeed(updateRealm, { params: { emails_restricted_to_domains: false } });
    });

    it("counts all mails of the organization, also resent ones, and refuses requests over the limit", async () => {
      const org = await organization(db);
      const gateway = await startGateway(db, { inviteRules: [{ seconds: 86_400, requests: 4 }] });
      try {
        const ask = (count: number) =>
          gateway.as(org.member).call(sendInvites, {
            params: {
              invitee_emails: Array.from({ length: count }, address).join(","),
              stream_ids: [],
            },
          });
        const over = {
          errors: [],
          sent_invitations: false,
          license_limit_reached: false,
          daily_limit_reached: true,
        };
        expect((await ask(3)).body.result).to.equal("success");
        await refused(db, () => ask(2), "INVITATION_FAILED", over);
        const { invites } = await gateway.as(org.member).succeed(listInvites);
        const resend = () =>
          gateway.as(org.member).call(resendInvite, { path: { invite_id: invites[0]?.id ?? 0 } });
        expect((await resend()).body.result).to.equal("success");
        await refused(db, resend, "INVITATION_FAILED", over);
        await refused(db, () => ask(1), "INVITATION_FAILED", over);
        // Another organization has its own count.
        const other = await organization(db);
        const params = { invitee_emails: address(), stream_ids: [] };
        await gateway.as(other.member).succeed(sendInvites, { params });
        await db.rows("UPDATE invitation_sendings SET sent_at = sent_at - interval '25 h'");
        expect((await ask(4)).body.result).to.equal("success");
      } finally {
        await gateway.close();
      }
    });

    it("admits as many concurrent requests as the rule allows", async () => {
      const org = await organization(db);
      const gateway = await startGateway(db, { inviteRules: [{ seconds: 86_400, requests: 3 }] });
      try {
        const answers = await Promise.all(
          Array.from({ length: 8 }, () =>
            gateway.as(org.member).call(sendInvites, {
              params: { invitee_emails: address(), stream_ids: [] },
            }),
          ),
        );
        expect(answers.filter(({ status }) => status === 200)).to.have.length(3);
      } finally {
        await gateway.close();
      }
    });
  });
});
