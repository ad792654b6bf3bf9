import { addDomain, createInviteLink, roles, sendInvites } from "@carillon/contract";
import {
  type Answer,
  changeOrganization,
  channel,
  deactivateUser,
  type Gateway,
  keyIn,
  type PageVisitor,
  pageVisitor,
  sentMails,
  startGateway,
  unique,
  user,
  useSignInScene,
} from "@carillon/testkit";
import { expect } from "chai";

const otp = "0".repeat(64);

describe("Signing up at an identity provider", () => {
  const scene = useSignInScene();
  const { db, gateway, provider } = scene;
  const open = (isOpen: boolean) =>
    changeOrganization(db, scene.org.realm, { inviteRequired: !isOpen });
  afterEach(() => open(false));

  const newcomer = (more = {}) => ({
    sub: unique("subject"),
    email: `${unique("new")}@example.com`,
    email_verified: true,
    name: unique("Newcomer"),
    ...more,
  });
  type Person = ReturnType<typeof newcomer>;

  /** Takes a browser to the provider and back. */
  async function comeIn(
    person: Person,
    query: Record<string, string> = { mobile_flow_otp: otp },
    at: Gateway = gateway,
    visitor: PageVisitor = pageVisitor(at.anonymous),
  ): Promise<Answer> {
    const path = `/accounts/register/social/oidc?${new URLSearchParams(query).toString()}`;
    const begun = await visitor.open(path);
    const asked = new URL(begun.headers.get("location") ?? "").searchParams;
    const code = provider.grant(asked, person);
    const back = new URLSearchParams({ state: asked.get("state") ?? "", code });
    return visitor.open(`/complete/oidc/?${back.toString()}`);
  }
  const accountOf = (email: string) =>
    db.prisma.user.findFirst({
      where: { realmId: scene.org.realm.id, deliveryEmail: email },
      include: { links: true, subscriptions: true },
    });

  /** Checks that the account was made, and handed to the phone. */
  async function joined(answer: Answer, { email, name, sub }: Person) {
    const address = answer.headers.get("location") ?? /href="(zulip:[^"]*)"/.exec(answer.text)?.[1];
    expect(address, answer.text).to.match(/^zulip:\/\/login\?/);
    const account = await accountOf(email);
    if (!account) throw new Error("there is no account");
    expect(account).to.include({ fullName: name, passwordHash: null, isActive: true });
    expect(account.links.map(({ issuer, subject }) => [issuer, subject])).to.deep.equal([
      [provider.issuer, sub],
    ]);
    expect(address).to.include(`user_id=${account.id}&`);
    return account;
  }
  function shows(answer: Answer, status: number, text: string): void {
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.text).to.include(text);
  }
  async function refuses(answer: Answer, { email }: Person) {
    shows(answer, 403, "need an invitation");
    expect(await accountOf(email)).to.equal(null);
  }

  it("needs an invitation, unless the organization is open", async () => {
    const person = newcomer();
    await refuses(await comeIn(person), person);
    await open(true);
    const account = await joined(await comeIn(person), person);
    expect(account.role).to.equal(roles.member);
    // Afterwards it is a sign-in, whatever the organization says.
    await open(false);
    expect((await joined(await comeIn(person), person)).id).to.equal(account.id);
  });

  it("uses an invitation to the address, with its role and channels, even without its link", async () => {
    const room = await channel(db, scene.org.owner);
    const person = newcomer();
    await gateway.as(scene.org.admin).succeed(sendInvites, {
      params: {
        invitee_emails: person.email.toUpperCase(),
        stream_ids: [room.id],
        invite_as: roles.guest,
      },
    });
    const account = await joined(await comeIn(person), person);
    expect(account.role).to.equal(roles.guest);
    expect(account.subscriptions.map(({ channelId }) => channelId)).to.deep.equal([room.id]);
    const open_ = await db.prisma.invitation.count({
      where: { email: person.email, endedAt: null },
    });
    expect(open_).to.equal(0);
    const other = newcomer();
    await gateway.as(scene.org.admin).succeed(sendInvites, {
      params: { invitee_emails: other.email, stream_ids: [] },
    });
    await db.rows("UPDATE invitations SET expires_at = now() WHERE lower(email) = $1", [
      other.email,
    ]);
    await refuses(await comeIn(other), other);
  });

  it("carries a reusable link from its page to the account", async () => {
    const { invite_link } = await gateway
      .as(scene.org.admin)
      .succeed(createInviteLink, { params: { invite_as: roles.moderator } });
    const visitor = pageVisitor(gateway.anonymous);
    const shown = await visitor.open(new URL(invite_link).pathname);
    const [, address = ""] = /href="([^"]*social[^"]*)"/.exec(shown.text) ?? [];
    expect(shown.text).to.include("Continue with Team &lt;ID&gt;");
    const query = new URL(address, "http://carillon.test").searchParams;
    const joining = { link: query.get("link") ?? "", mobile_flow_otp: otp };
    for (const person of [newcomer(), newcomer()]) {
      const account = await joined(await comeIn(person, joining), person);
      expect(account.role).to.equal(roles.moderator);
    }
    // Links whose maker may no longer invite, and texts that are not keys, count as no link.
    await db.rows("UPDATE invitations SET ended_at = now() WHERE kind = 'multiuse'");
    for (const link of [joining.link, "", "\0", "x".repeat(4_000), "nonsense"]) {
      const person = newcomer();
      await refuses(await comeIn(person, { ...joining, link }), person);
    }
  });

  it("refuses a link that can no longer be used when the person has entered a name", async () => {
    const maker = await user(db, scene.org.realm, { role: roles.administrator });
    const setRole = (role: number) =>
      db.rows("UPDATE users SET role = $2 WHERE id = $1", [maker.id, role]);
    const setDeactivated = (deactivated: boolean) =>
      changeOrganization(db, scene.org.realm, { deactivated });
    /** Each change, and how it is undone. */
    const changes: Array<[change: () => Promise<unknown>, undo?: () => Promise<unknown>]> = [
      [() => setRole(roles.member), () => setRole(roles.administrator)],
      [() => setDeactivated(true), () => setDeactivated(false)],
      [() => db.rows("UPDATE invitations SET ended_at = now() WHERE maker_id = $1", [maker.id])],
      [() => deactivateUser(db, maker)],
    ];
    for (const [change, undo] of changes) {
      const { invite_link } = await gateway
        .as(maker)
        .succeed(createInviteLink, { params: { invite_as: roles.moderator } });
      const joining = { link: keyIn(invite_link), mobile_flow_otp: otp };
      const visitor = pageVisitor(gateway.anonymous);
      const person = newcomer({ name: undefined });
      const shown = await comeIn(person, joining, gateway, visitor);
      expect(shown.status, shown.text).to.equal(200);
      await change();
      const sent = await visitor.send(shown, "/complete/oidc/", { full_name: unique("Late") });
      await undo?.();
      shows(sent, 403, "Ask an administrator");
      expect(await accountOf(person.email)).to.equal(null);
    }
  });

  it("does not give one person's invitation to another address", async () => {
    const invited = newcomer();
    await sentMails(db);
    await gateway.as(scene.org.admin).succeed(sendInvites, {
      params: { invitee_emails: invited.email, stream_ids: [], invite_as: roles.administrator },
    });
    const [mail] = await sentMails(db);
    const [, link = ""] = /\/join\/(\w+)\//.exec(mail?.text ?? "") ?? [];
    const thief = newcomer();
    await refuses(await comeIn(thief, { link, mobile_flow_otp: otp }), thief);
    const account = await joined(await comeIn(invited, { link, mobile_flow_otp: otp }), invited);
    expect(account.role).to.equal(roles.administrator);
  });

  it("is for everyone with an allowed address where OIDC_AUTO_SIGNUP is all", async () => {
    const identityProvider = { ...provider.config, autoSignup: "all" as const };
    const all = await startGateway(db, { site: { identityProvider } });
    const phone = { mobile_flow_otp: otp };
    try {
      const person = newcomer();
      await joined(await comeIn(person, phone, all), person);
      const params = { domain: "allowed.example.com", allow_subdomains: false };
      await gateway.as(scene.org.owner).succeed(addDomain, { params });
      await changeOrganization(db, scene.org.realm, { emailsRestrictedToDomains: true });
      const other = newcomer();
      await refuses(await comeIn(other, phone, all), other);
      const local = newcomer({ email: `${unique("new")}@allowed.example.com` });
      await joined(await comeIn(local, phone, all), local);
      const generated = newcomer({ email: `user7@${scene.org.realm.subdomain}.carillon.test` });
      await refuses(await comeIn(generated, phone, all), generated);
    } finally {
      await changeOrganization(db, scene.org.realm, { emailsRestrictedToDomains: false });
      await all.close();
    }
  });

  it("composes the name from its parts", async () => {
    await open(true);
    const parts = { name: undefined, given_name: unique("Ada"), family_name: "Lovelace" };
    const person = { ...newcomer(), ...parts };
    const name = `${parts.given_name} Lovelace`;
    await joined(await comeIn(person as unknown as Person), { ...person, name });
  });

  for (const [what, name] of [
    ["no name", undefined],
    ["a blank name", " "],
    ["a name that is not allowed", "**everyone**"],
    ["a name that is too long", "x".repeat(101)],
    ["a name that is no text", { first: "Ada" }],
  ] as const)
    it(`asks for the name if the provider tells ${what}`, async () => {
      await open(true);
      const visitor = pageVisitor(gateway.anonymous);
      const person = newcomer({ name });
      const shown = await comeIn(person, { mobile_flow_otp: otp }, gateway, visitor);
      expect(shown.status, shown.text).to.equal(200);
      expect(shown.text).to.include(person.email).and.not.include('type="password"');
      expect(await accountOf(person.email)).to.equal(null);
      const again = await visitor.send(shown, "/complete/oidc/", { full_name: "@all" });
      shows(again, 400, 'value="@all"');
      expect(again.text).to.include('aria-invalid="true"');
      const typed = unique("Typed");
      const done = await visitor.send(again, "/complete/oidc/", { full_name: typed });
      expect(done.status, done.text).to.equal(200);
      await joined(done, { ...person, name: typed });
      // Each form works once.
      const late = await visitor.send(again, "/complete/oidc/", { full_name: unique("Late") });
      shows(late, 400, "This sign-in is over");
    });

  it("asks for another name if names are unique and it is taken", async () => {
    await open(true);
    await changeOrganization(db, scene.org.realm, { requireUniqueNames: true });
    try {
      const { fullName } = await user(db, scene.org.realm);
      const person = newcomer({ name: fullName });
      const shown = await comeIn(person);
      shows(shown, 200, "Another user has this full_name");
    } finally {
      await changeOrganization(db, scene.org.realm, { requireUniqueNames: false });
    }
  });

  it("refuses the form from another browser, without its token, and in place of the provider's answer", async () => {
    await open(true);
    const visitor = pageVisitor(gateway.anonymous);
    const person = newcomer({ name: undefined });
    const shown = await comeIn(person, { mobile_flow_otp: otp }, gateway, visitor);
    const forged = await visitor.send(shown, "/complete/oidc/", {
      csrf_token: "x",
      full_name: "Ada",
    });
    shows(forged, 403, "The form is out of date");
    const [, ticket = ""] =
      /name="ticket" value="(\w+)"/.exec(shown.text.replaceAll(/\s+/g, " ")) ?? [];
    expect(ticket).to.have.length(32);
    const swapped = await visitor.open(`/complete/oidc/?state=${ticket}&code=x`);
    shows(swapped, 400, "This sign-in is over");
    const stranger = pageVisitor(gateway.anonymous);
    const own = await comeIn(newcomer({ name: undefined }), undefined, gateway, stranger);
    const stolen = await stranger.send(own, "/complete/oidc/", {
      ticket,
      full_name: unique("Thief"),
    });
    shows(stolen, 400, "This sign-in is over");
    expect(await accountOf(person.email)).to.equal(null);
  });

  it("asks for agreement to the terms where the server has some", async () => {
    await open(true);
    const own = await startGateway(db, {
      site: { identityProvider: provider.config, termsUrl: "https://carillon.test/terms" },
    });
    try {
      const visitor = pageVisitor(own.anonymous);
      const person = newcomer();
      const shown = await comeIn(person, { mobile_flow_otp: otp }, own, visitor);
      expect(shown.text).to.include(`value="${person.name}"`).and.include("/terms");
      const again = await visitor.send(shown, "/complete/oidc/", { full_name: person.name });
      shows(again, 400, "Agree to the terms");
      expect(await accountOf(person.email)).to.equal(null);
      const fields = { full_name: person.name, terms: "true" };
      await joined(await visitor.send(again, "/complete/oidc/", fields), person);
    } finally {
      await own.close();
    }
  });

  it("makes one account for a person who comes back in three windows at once", async () => {
    await open(true);
    // Where the requests meet is up to chance.
    for (let round = 0; round < 10; round++) {
      const person = newcomer();
      const answers = await Promise.all([1, 2, 3].map(() => comeIn(person)));
      const ids = new Set<number>();
      for (const answer of answers) ids.add((await joined(answer, person)).id);
      expect(ids.size).to.equal(1);
    }
  });
});
