import {
  createInviteLink,
  createUser,
  deactivateUser as deactivate,
  errors,
  fetchApiKey,
  getMessages,
  type InputOf,
  listInvites,
  listSubscriptions,
  revokeInvite,
  revokeInviteLink,
  roles,
  sendInvites,
} from "@carillon/contract";
import { sendNotice } from "@carillon/jobs";
import { unqueuedIntents } from "@carillon/outbox";
import {
  browser,
  changeOrganization,
  changesOf,
  channel,
  countQueries,
  eventsOf,
  keyIn,
  messagesOf,
  organization,
  runJob,
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

const password = "plum rivers sing 42";

describe("the page of a link, /join/{key}", () => {
  const scene = useScene();
  const { db } = scene;
  const page = browser(scene.gateway);
  const address = () => `${unique("joins")}@example.com`;
  const pathOf = (key: string) => `/join/${key}/`;

  /** Invites an address. @returns the address and the key of the mailed link */
  async function invited(by: TestAccount, params: Params = {}, gateway = scene.gateway) {
    const email = address();
    const { body } = await gateway.as(by).call(sendInvites, {
      params: { invitee_emails: email, stream_ids: [], ...params },
    });
    expect(body.result, body.msg).to.equal("success");
    const mail = (await sentMails(db)).find(({ to }) => to === email);
    return { email, key: keyIn(mail?.text) };
  }
  async function reusable(by: TestAccount, params: Params = {}) {
    const { invite_link: link } = await scene.as(by).succeed(createInviteLink, { params });
    return keyIn(link);
  }
  const join = (key: string, fields: Record<string, string> = {}) =>
    page.submit(pathOf(key), { full_name: "Jo Ins", password, ...fields });
  async function joined(key: string, fields: Record<string, string> = {}) {
    const answer = await join(key, fields);
    expect(answer.status, answer.text).to.equal(303);
    expect(answer.headers.get("location")).to.equal("/joined");
  }
  const accountOf = (email: string) =>
    db.prisma.user.findFirst({
      where: { realmId: scene.org.realm.id, deliveryEmail: email },
      include: { groupMemberships: true },
    });
  async function credentials(email: string) {
    const key = await scene.gateway.anonymous.succeed(fetchApiKey, {
      params: { username: email, password },
    });
    return { email: key.email, apiKey: key.api_key };
  }
  let form: Awaited<ReturnType<typeof page.opened>> | undefined;
  /** Checks that nobody can join with the link: one page for GET and POST, and no table changes. */
  async function gone(key: string) {
    form ??= await page.opened(pathOf((await invited(scene.org.owner)).key));
    const { token, cookie } = form;
    const { result, tables } = await changesOf(db, async () => [
      await page.open(pathOf(key)),
      // A weak password is refused with 400 only if it is estimated, and that only happens for a usable link.
      await page.post(
        pathOf(key),
        { csrf_token: token, full_name: "Jo", password: "x", email: address() },
        cookie,
      ),
    ]);
    for (const { status, text } of result) {
      expect(status, text).to.equal(404);
      expect(text).not.to.include("<form");
    }
    expect(tables).to.deep.equal([]);
  }
  async function notices() {
    const intents = await unqueuedIntents(db, {
      jobs: [sendNotice.name],
      olderThanMs: 0,
      limit: 99,
    });
    for (const { intentId, version } of intents)
      await runJob(db, sendNotice, { intentId, version });
  }

  it("makes the account with the link's role, channels and groups, and ends the link", async () => {
    const { owner, realm, member } = scene.org;
    const room = await channel(db, owner, { inviteOnly: true, subscribers: [owner, member] });
    const archived = await channel(db, owner, { subscribers: [owner] });
    const preset = await channel(db, owner, { isDefault: true });
    const [crew, former] = [await userGroup(db, realm), await userGroup(db, realm)];
    const { email, key } = await invited(owner, {
      stream_ids: [room.id, archived.id],
      group_ids: [crew.id, former.id],
      invite_as: roles.moderator,
    });
    await db.rows("UPDATE channels SET is_archived = true WHERE id = $1", [archived.id]);
    await db.rows("UPDATE named_user_group SET deactivated = true WHERE id = $1", [former.id]);
    const shown = await page.open(pathOf(key));
    expect(shown.status).to.equal(200);
    expect(shown.text).to.include(email).and.include(realm.name);
    const { events } = await eventsOf(db, realm.id, () => joined(key, { full_name: " Ada  Q " }));
    const account = await accountOf(email);
    expect(account).to.include({ role: 300, fullName: "Ada Q", isActive: true });
    expect(account?.groupMemberships.map(({ groupId }) => groupId)).to.have.members([
      scene.org.groups["role:moderators"],
      crew.id,
    ]);
    const { subscriptions } = await scene.gateway
      .as(await credentials(email))
      .succeed(listSubscriptions);
    expect(subscriptions.map(({ stream_id }) => stream_id)).to.deep.equal([room.id]);
    expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "realm_user/add",
      "user_group/add_members",
      "user_group/add_members",
      "subscription/peer_add",
      "invites_changed/null",
      "message/null",
    ]);
    expect(events[4]?.audience).to.include(owner.id);
    const rows = await db.prisma.invitation.findMany({ where: { email } });
    expect(rows.map(({ joinedId }) => joinedId)).to.deep.equal([account?.id]);
    const audit = await db.prisma.auditLog.findMany({
      where: { modifiedUserId: account?.id ?? 0, eventType: "user_joined" },
    });
    expect(audit[0]?.extraData).to.deep.include({ invited_by: owner.id, kind: "email" });
    await gone(key);
    await db.rows("DELETE FROM default_channels WHERE channel_id = $1", [preset.id]);
  });

  it("adds the default channels of the time of joining, also for guests", async () => {
    const { owner } = scene.org;
    const { email, key } = await invited(owner, {
      include_realm_default_subscriptions: true,
      invite_as: roles.guest,
    });
    const preset = await channel(db, owner, { isDefault: true });
    await joined(key);
    const rows = await db.rows<{ id: number }>(
      "SELECT s.channel_id AS id FROM subscriptions s JOIN users u ON u.id = s.user_id WHERE u.delivery_email = $1",
      [email],
    );
    expect(rows).to.deep.equal([{ id: preset.id }]);
    expect((await accountOf(email))?.role).to.equal(600);
    await db.rows("DELETE FROM default_channels WHERE channel_id = $1", [preset.id]);
  });

  it("shows at the end how to sign in, but neither key nor password", async () => {
    const { text, status } = await page.open("/joined");
    expect(status).to.equal(200);
    expect(text).to.include(`http://${scene.org.realm.subdomain}.carillon.test`);
    expect(text).not.to.include(password);
  });

  it("is not used up by GET and HEAD requests", async () => {
    const { key, email } = await invited(scene.org.member);
    const { tables } = await changesOf(db, async () => {
      for (const method of ["GET", "HEAD", "GET"])
        for (const path of [pathOf(key), `/join/${key}`]) {
          const { status } = await scene.gateway.anonymous.send(method, path);
          expect(status).to.equal(200);
        }
    });
    expect(tables).to.deep.equal([]);
    await joined(key);
    expect(await accountOf(email)).to.include({ isActive: true });
  });

  it("shows the form again for wrong values, keeps the name, forgets the password, and stays usable", async () => {
    const { key, email } = await invited(scene.org.member);
    const wrong: ReadonlyArray<Record<string, string>> = [
      { full_name: "" },
      { full_name: "   " },
      { full_name: "x".repeat(101) },
      { full_name: "a*b" },
      { password: "" },
      { password: "five5" },
      { password: "password1" },
      { password: "p".repeat(101) },
    ];
    for (const fields of wrong) {
      const { result, tables } = await changesOf(db, () =>
        join(key, { full_name: "Kept <Name>".replace(/[<>]/g, "'"), ...fields }),
      );
      expect(result.status, JSON.stringify(fields)).to.equal(400);
      expect(result.text).to.include('class="problem"').and.include("csrf_token");
      if (fields["full_name"] === undefined) expect(result.text).to.include("Kept &#39;Name&#39;");
      const typed = fields["password"] ?? password;
      if (typed.length > 6) expect(result.text).not.to.include(typed);
      expect(tables).to.deep.equal([]);
    }
    await joined(key);
    expect(await accountOf(email)).to.include({ fullName: "Jo Ins" });
  });

  it("refuses a name in use if names must be unique, and stays usable", async () => {
    const { member, realm } = scene.org;
    await changeOrganization(db, realm, { requireUniqueNames: true });
    const { key } = await invited(member);
    const answer = await join(key, { full_name: member.fullName.toUpperCase() });
    expect(answer.status, "status").to.equal(400);
    await joined(key, { full_name: unique("Own") });
    await changeOrganization(db, realm, { requireUniqueNames: false });
  });

  it("requires agreement to the terms if the server has terms", async () => {
    const gateway = await startGateway(db, {
      site: { termsUrl: "https://example.com/terms?a=1&b=2" },
    });
    try {
      const own = browser(gateway);
      const { key } = await invited(scene.org.member);
      const shown = await own.open(pathOf(key));
      expect(shown.text).to.include('href="https://example.com/terms?a=1&amp;b=2"');
      const fields = { full_name: "Terry", password };
      for (const terms of ["", "false", "on"])
        expect((await own.submit(pathOf(key), { ...fields, terms })).status, "status").to.equal(
          400,
        );
      expect((await own.submit(pathOf(key), { ...fields, terms: "true" })).status).to.equal(303);
    } finally {
      await gateway.close();
    }
  });

  it("refuses forms from other sites or without the token, and changes nothing", async () => {
    const { key, email } = await invited(scene.org.member);
    const { token, cookie } = await page.opened(pathOf(key));
    const fields = { csrf_token: token, full_name: "Jo", password };
    const { tables } = await changesOf(db, async () => {
      for (const [sent, jar, headers] of [
        [{ ...fields, csrf_token: "" }, cookie, {}],
        [{ full_name: "Jo", password }, cookie, {}],
        [fields, "", {}],
        [fields, cookie, { Origin: "https://evil.example" }],
        [fields, cookie, { "Sec-Fetch-Site": "cross-site" }],
      ] as const) {
        const { status, text } = await page.post(pathOf(key), sent, jar, headers);
        expect(status, text).to.equal(403);
      }
    });
    expect(tables).to.deep.equal([]);
    expect((await page.post(pathOf(key), fields, cookie)).status).to.equal(303);
    expect(await accountOf(email)).not.to.equal(null);
  });

  it("answers with the same page for all links that are not valid", async () => {
    const { owner, admin, member, realm, groups } = scene.org;
    const [revoked, expired] = [await invited(member), await invited(member)];
    const { invites } = await scene.as(member).succeed(listInvites);
    const idOf = (email: string) =>
      invites.find((each) => "email" in each && each.email === email)?.id ?? 0;
    await scene.as(member).succeed(revokeInvite, { path: { invite_id: idOf(revoked.email) } });
    await db.rows("UPDATE invitations SET expires_at = now() WHERE email = $1", [expired.email]);
    const elsewhere = await organization(db);
    const foreign = await invited(elsewhere.member);
    for (const key of [
      "unknown",
      "x".repeat(101),
      "%00",
      "a-b",
      "%F0%9F%98%80",
      revoked.key,
      expired.key,
      foreign.key,
    ])
      await gone(key);

    const taken = await invited(member);
    await user(db, realm, { email: taken.email.toUpperCase() });
    await gone(taken.key);

    const refused = await invited(member);
    await changeOrganization(db, realm, { emailsRestrictedToDomains: true });
    const shown = await page.open(pathOf(refused.key));
    expect(shown.status, "status").to.equal(404);
    await changeOrganization(db, realm, { emailsRestrictedToDomains: false });

    // The maker has lost the right: the link works again when it has it again.
    const strong = await invited(admin, { invite_as: roles.administrator });
    await db.rows("UPDATE users SET role = 400 WHERE id = $1", [admin.id]);
    await gone(strong.key);
    await db.rows("UPDATE users SET role = 200 WHERE id = $1", [admin.id]);
    expect((await page.open(pathOf(strong.key))).status).to.equal(200);
    const plain = await invited(member);
    await changeOrganization(db, realm, { canInviteUsersGroupId: groups["role:owners"] });
    await gone(plain.key);
    await changeOrganization(db, realm, { canInviteUsersGroupId: groups["role:members"] });
    expect((await page.open(pathOf(plain.key))).status).to.equal(200);

    const late = await invited(owner);
    await changeOrganization(db, realm, { deactivated: true });
    expect((await page.open(pathOf(late.key))).status, "status").to.equal(404);
    await changeOrganization(db, realm, { deactivated: false });
    expect((await page.open(pathOf(late.key))).status).to.equal(200);
  });

  it("is ended when its maker is deactivated, and stays ended when the maker is reactivated", async () => {
    const { owner, realm } = scene.org;
    const maker = await user(db, realm, { role: roles.administrator });
    const { key } = await invited(maker, { invite_expires_in_minutes: null });
    const link = await reusable(maker);
    const { events } = await eventsOf(db, realm.id, () =>
      scene.as(owner).succeed(deactivate, { path: { user_id: maker.id } }),
    );
    const told = events.filter(({ type }) => type === "invites_changed");
    expect(told).to.have.length(1);
    expect(told[0]?.audience).to.include(owner.id).and.not.include(maker.id);
    await gone(key);
    await gone(link);
    await db.rows("UPDATE users SET is_active = true WHERE id = $1", [maker.id]);
    await gone(key);
  });

  it("has no form if passwords are turned off", async () => {
    const { key } = await invited(scene.org.member);
    const { token, cookie } = await page.opened(pathOf(key));
    await changeOrganization(db, scene.org.realm, { passwordAuthEnabled: false });
    const shown = await page.open(pathOf(key));
    expect(shown.text).not.to.include('name="password"');
    const fields = { csrf_token: token, full_name: "Jo", password };
    expect((await page.post(pathOf(key), fields, cookie)).status, "status").to.equal(403);
    await changeOrganization(db, scene.org.realm, { passwordAuthEnabled: true });
    await joined(key);
  });

  describe("two requests at once", () => {
    const at = async (posts: ReadonlyArray<readonly [key: string, fields?: object]>) => {
      const forms = await Promise.all(posts.map(([key]) => page.opened(pathOf(key))));
      return Promise.all(
        posts.map(([key, fields], i) =>
          page.post(
            pathOf(key),
            { csrf_token: forms[i]?.token ?? "", full_name: `Jo ${i}`, password, ...fields },
            forms[i]?.cookie,
          ),
        ),
      );
    };

    it("with one link make one account", async () => {
      const { key, email } = await invited(scene.org.member);
      const answers = await at([[key], [key], [key], [key]]);
      expect(answers.map(({ status }) => status)).to.have.members([303, 404, 404, 404]);
      expect(await db.prisma.user.count({ where: { deliveryEmail: email } })).to.equal(1);
    });

    it("with two links of one address make one account, and end both links", async () => {
      const { key, email } = await invited(scene.org.member);
      await scene.as(scene.org.owner).succeed(sendInvites, {
        params: { invitee_emails: email.toUpperCase(), stream_ids: [] },
      });
      const other = keyIn((await sentMails(db)).find(({ to }) => to === email.toUpperCase())?.text);
      const answers = await at([[key], [other]]);
      expect(answers.map(({ status }) => status)).to.have.members([303, 404]);
      const accounts = await db.rows("SELECT FROM users WHERE lower(delivery_email) = $1", [email]);
      expect(accounts).to.have.length(1);
      await gone(key);
      await gone(other);
    });

    it("to join and to deactivate the maker leave the account, or end the link", async () => {
      for (let i = 0; i < 4; i++) {
        const maker = await user(db, scene.org.realm);
        const { key, email } = await invited(maker);
        const { token, cookie } = await page.opened(pathOf(key));
        const [answer] = await Promise.all([
          page.post(pathOf(key), { csrf_token: token, full_name: "Jo", password }, cookie),
          scene.as(scene.org.owner).succeed(deactivate, { path: { user_id: maker.id } }),
        ]);
        expect(answer.status).to.be.oneOf([303, 404]);
        expect((await accountOf(email)) !== null).to.equal(answer.status === 303);
        await gone(key);
      }
    });

    it("to join and to revoke the link leave the account, or the link revoked", async () => {
      for (let i = 0; i < 4; i++) {
        const { key, email } = await invited(scene.org.member);
        const { id } = await db.prisma.invitation.findFirstOrThrow({ where: { email } });
        const { token, cookie } = await page.opened(pathOf(key));
        const [answer, revoked] = await Promise.all([
          page.post(pathOf(key), { csrf_token: token, full_name: "Jo", password }, cookie),
          scene.as(scene.org.member).call(revokeInvite, { path: { invite_id: id } }),
        ]);
        expect([answer.status, revoked.status]).to.be.deep.oneOf([
          [303, 400],
          [404, 200],
        ]);
        expect((await accountOf(email)) !== null).to.equal(answer.status === 303);
      }
    });

    it("to join and to POST /users with the address make one account", async () => {
      const { key, email } = await invited(scene.org.member);
      const { token, cookie } = await page.opened(pathOf(key));
      const [answer, made] = await Promise.all([
        page.post(pathOf(key), { csrf_token: token, full_name: "Jo", password }, cookie),
        scene
          .as(scene.org.owner)
          .call(createUser, { params: { email, password, full_name: "Jo" } }),
      ]);
      expect([answer.status, made.status]).to.be.deep.oneOf([
        [303, 400],
        [404, 200],
      ]);
      await gone(key);
    });
  });

  it("is ended by POST /users with its address, with an event to its maker", async () => {
    const { owner, member, realm } = scene.org;
    const { key, email } = await invited(member);
    const { events } = await eventsOf(db, realm.id, () =>
      scene.as(owner).succeed(createUser, {
        params: { email: email.toUpperCase(), password, full_name: "Made" },
      }),
    );
    const told = events.filter(({ type }) => type === "invites_changed");
    expect(told).to.have.length(1);
    expect(told[0]?.audience).to.include.members([owner.id, member.id]);
    await gone(key);
    const { invites } = await scene.as(member).succeed(listInvites);
    expect(invites.filter((each) => "email" in each && each.email === email)).to.deep.equal([]);
  });

  describe("of a reusable link", () => {
    const ask = (key: string, email: string) => page.submit(pathOf(key), { email });

    it("mails personal links, any number of times, each for one account and 24 hours", async () => {
      const { owner, admin, member, realm } = scene.org;
      const room = await channel(db, owner, { inviteOnly: true, subscribers: [owner] });
      const crew = await userGroup(db, realm);
      const key = await reusable(owner, {
        stream_ids: [room.id],
        group_ids: [crew.id],
        invite_as: roles.guest,
        welcome_message_custom_text: "Read **this** first",
      });
      const shown = await page.open(pathOf(key));
      expect(shown.text).to.include('name="email"').and.not.include('name="password"');
      for (let i = 0; i < 2; i++) {
        const email = address();
        const { result, events } = await eventsOf(db, realm.id, () => ask(key, ` ${email} `));
        expect(result.status, result.text).to.equal(303);
        expect(result.headers.get("location")).to.equal("/mail-sent");
        expect(events).to.deep.equal([]);
        const [mail, ...more] = await sentMails(db);
        expect(more).to.deep.equal([]);
        expect(mail?.to).to.equal(email);
        const own = keyIn(mail?.text);
        expect(own).not.to.equal(key);
        const row = await db.prisma.invitation.findFirstOrThrow({ where: { email } });
        expect(Number(row.expiresAt) - Number(row.createdAt)).to.equal(86_400_000);
        const made = await eventsOf(db, realm.id, () => joined(own));
        const told = made.events.filter(({ type }) => type === "invites_changed");
        expect(told[0]?.audience)
          .to.include.members([owner.id, admin.id])
          .and.not.include(member.id);
        const account = await accountOf(email);
        expect(account?.role).to.equal(600);
        const notified = await db.rows("SELECT FROM job_intent WHERE unique_key = $1", [
          `${sendNotice.name}/invitation-accepted-${account?.id}`,
        ]);
        expect(notified, "notices to the maker").to.deep.equal([]);
        expect(account?.groupMemberships.map(({ groupId }) => groupId)).to.include(crew.id);
        const messages = await messagesOf(scene.gateway.as(await credentials(email)), []);
        expect(messages.map(({ content }) => content)[1]).to.equal("Read **this** first");
        await gone(own);
      }
      const { invites } = await scene.as(owner).succeed(listInvites);
      const listed = invites.filter((each) => "link_url" in each && each.link_url.includes(key));
      expect(listed).to.have.length(1);
      expect(invites.every((each) => "link_url" in each || each.email !== "")).to.equal(true);
    });

    it("answers the same for an address with an account, with the same statements; its mail says so", async () => {
      const key = await reusable(scene.org.owner);
      const { token, cookie } = await page.opened(pathOf(key));
      const counted = (email: string) =>
        countQueries(db, () => page.post(pathOf(key), { csrf_token: token, email }, cookie));
      const { result: known, statements } = await counted(scene.org.member.deliveryEmail);
      const { result: unknown, statements: same } = await counted(address());
      expect(statements).to.deep.equal(same);
      expect(known.status, "status").to.equal(303);
      expect([known.status, known.text]).to.deep.equal([unknown.status, unknown.text]);
      expect(known.headers.get("location")).to.equal(unknown.headers.get("location"));
      const mails = await sentMails(db);
      const told = mails.find(({ to }) => to === scene.org.member.deliveryEmail);
      expect(told?.text).to.include("an account").and.not.include("/join/");
    });

    it("refuses addresses that no account may have", async () => {
      const key = await reusable(scene.org.owner);
      for (const email of ["", "nonsense", "a@b@c", "x@0-mail.com", "a\u0000@example.com"]) {
        const { result, tables } = await changesOf(db, () => ask(key, email));
        expect(result.status, email).to.equal(400);
        expect(tables).to.deep.equal([]);
      }
    });

    it("ends with a revocation, and its personal links with it", async () => {
      const { owner } = scene.org;
      const key = await reusable(owner);
      const email = address();
      await ask(key, email);
      const own = keyIn((await sentMails(db))[0]?.text);
      const waiting = address();
      await ask(key, waiting);
      const { invites } = await scene.as(owner).succeed(listInvites);
      const id = invites.find((each) => "link_url" in each && each.link_url.includes(key))?.id ?? 0;
      await scene.as(owner).succeed(revokeInviteLink, { path: { invite_id: id } });
      expect(await sentMails(db)).to.deep.equal([]);
      await gone(key);
      await gone(own);
    });

    it("counts requests against the rule for mails", async () => {
      const { key } = { key: await reusable(scene.org.owner) };
      let left = 1;
      const mails = {
        countMail: async () => {
          if (left-- <= 0) throw errors.rateLimitHit(7);
        },
        countReset: async () => {},
      };
      const gateway = await startGateway(db, { mails });
      try {
        const own = browser(gateway);
        expect((await own.submit(pathOf(key), { email: address() })).status).to.equal(303);
        const over = await own.submit(pathOf(key), { email: address() });
        expect(over.status, "status").to.equal(429);
        expect(over.headers.get("retry-after")).to.equal("7");
      } finally {
        await gateway.close();
      }
    });
  });

  describe("notices", () => {
    it("welcome the person, then give the invitation's text, and tell the maker who wants to know", async () => {
      const { admin, notificationBot, welcomeBot } = scene.org;
      const told = await invited(admin, { welcome_message_custom_text: "Hello @**all** *you*" });
      const quiet = await invited(admin, { notify_referrer_on_join: false });
      await joined(told.key, { full_name: "Told Joiner" });
      await joined(quiet.key, { full_name: "Quiet Joiner" });
      const messages = await messagesOf(scene.gateway.as(await credentials(told.email)), []);
      expect(messages.map(({ sender_id }) => sender_id)).to.deep.equal([
        welcomeBot.id,
        welcomeBot.id,
      ]);
      expect(messages[0]?.content).to.include("write to the Scheduling Bot");
      expect(messages[1]?.content).to.equal("Hello @**all** *you*");
      expect(messages[1]?.flags).to.deep.equal([]);
      await notices();
      await notices();
      const { messages: own } = await scene.as(admin).succeed(getMessages, {
        params: { anchor: "newest", num_before: 20, num_after: 0, apply_markdown: false },
      });
      const said = own.filter(({ sender_id }) => sender_id === notificationBot.id);
      const id = (await accountOf(told.email))?.id;
      expect(said.map(({ content }) => content)).to.deep.equal([
        `@_**Told Joiner|${id}** accepted your invitation and joined the organization.`,
      ]);
    });

    it("give the organization's text unless the invitation has its own, or an empty one", async () => {
      const { admin, realm } = scene.org;
      await changeOrganization(db, realm, { welcomeMessageCustomText: "Of the house" });
      const usual = await invited(admin);
      const none = await invited(admin, { welcome_message_custom_text: "" });
      await joined(usual.key);
      await joined(none.key);
      const texts = async ({ email }: { email: string }) =>
        (await messagesOf(scene.gateway.as(await credentials(email)), [])).map(
          ({ content }) => content,
        );
      expect((await texts(usual))[1]).to.equal("Of the house");
      expect(await texts(none)).to.have.length(1);
      await changeOrganization(db, realm, { welcomeMessageCustomText: "" });
    });

    it("announce the person in the channel for sign-ups, however they joined", async () => {
      const { owner, realm, member } = scene.org;
      const room = await channel(db, owner, { subscribers: [owner] });
      await changeOrganization(db, realm, { signupAnnouncementsChannelId: room.id });
      const { key } = await invited(member);
      await joined(key, { full_name: "Came In" });
      await scene.as(owner).succeed(createUser, {
        params: { email: address(), password, full_name: "Was Made" },
      });
      await notices();
      const { messages } = await scene.as(owner).succeed(getMessages, {
        params: {
          anchor: "newest",
          num_before: 20,
          num_after: 0,
          apply_markdown: false,
          narrow: [{ operator: "channel", operand: room.id }],
        },
      });
      expect(messages.map(({ subject }) => subject)).to.deep.equal(["signups", "signups"]);
      expect(messages.map(({ content }) => content.replace(/\|\d+/, ""))).to.deep.equal([
        "@_**Came In** joined the organization.",
        "@_**Was Made** joined the organization.",
      ]);
      await changeOrganization(db, realm, { signupAnnouncementsChannelId: null });
    });
  });
});
