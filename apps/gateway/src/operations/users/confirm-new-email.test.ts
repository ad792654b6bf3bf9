import {
  confirmNewEmail,
  getOwnUser,
  showNewEmail,
  updateSettings,
  updateUser,
} from "@carillon/contract";
import { unqueuedIntents } from "@carillon/outbox";
import { sendMail } from "@carillon/jobs";
import { hostOf } from "@carillon/model";
import {
  announced,
  changeOrganization,
  deactivateUser,
  eventsOf,
  organization,
  personChange,
  refused,
  refusedAlike,
  reload,
  runJob,
  type TestAccount,
  unique,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Confirmation of the caller's new e-mail address", () => {
  const scene = useScene();
  const { db } = scene;
  const address = () => `${unique("moved")}@carillon.test`;
  const want = (by: TestAccount, email: string, more = {}) =>
    scene.as(by).call(updateSettings, { params: { email, ...more } });
  const refuses = (by: TestAccount, email: string) =>
    refused(db, () => want(by, email, { enter_sends: true }), "BAD_REQUEST");
  const confirm = (token: string) =>
    scene.gateway.anonymous.send(
      confirmNewEmail.method,
      confirmNewEmail.path.replace("{token}", encodeURIComponent(token)),
    );

  /** Runs the pending mail jobs. @returns the mails */
  async function mails() {
    const intents = await unqueuedIntents(db, { jobs: [sendMail.name], olderThanMs: 0, limit: 99 });
    const sent = [];
    for (const { intentId, version } of intents)
      sent.push(...(await runJob(db, sendMail, { intentId, version })).mail);
    return sent;
  }
  /** Requests the address and returns the link of the mail. */
  async function asked(by: TestAccount, email: string): Promise<string> {
    const { body } = await want(by, email);
    expect(body.result, body.msg).to.equal("success");
    const mail = (await mails()).find(({ to }) => to === email.trim());
    expect(mail?.text).to.include(by.deliveryEmail);
    const [, token] = /\/accounts\/confirm_new_email\/(\w{32})\n/.exec(mail?.text ?? "") ?? [];
    if (!token) throw new Error(`no link in ${JSON.stringify(mail)}`);
    return token;
  }
  const person = () => user(db, scene.org.realm);

  it("sends a link that changes the address once, at once", async () => {
    const me = await person();
    const email = address();
    const { result: token, events: before } = await eventsOf(db, me.realmId, () =>
      asked(me, ` ${email} `),
    );
    expect(before).to.deep.equal([]);
    expect((await reload(db, me)).deliveryEmail).to.equal(me.deliveryEmail);
    const { result, events } = await eventsOf(db, me.realmId, () => confirm(token));
    expect(result.status, result.text).to.equal(200);
    expect(result.text).to.include(email);
    expect(announced(events).slice(0, 2)).to.deep.equal([
      personChange(me.id, { delivery_email: email }),
      personChange(me.id, { new_email: email }),
    ]);
    await refused(db, () => scene.as(me).call(getOwnUser), "UNAUTHORIZED");
    const own = await scene.gateway.as({ email, apiKey: me.apiKey }).succeed(getOwnUser);
    expect(own.delivery_email).to.equal(email);
    const [audit] = await db.prisma.auditLog.findMany({
      where: { modifiedUserId: me.id, eventType: "user_email_changed" },
    });
    expect(audit).to.deep.include({
      actingUserId: me.id,
      extraData: { old: me.deliveryEmail, new: email },
    });
    await refusedAlike(db, [token, "x".repeat(32), "%00", "nonsense"], confirm);
  });

  it("ignores GET and HEAD requests of mail scanners, and confirms by the button of the page", async () => {
    const me = await person();
    const [email, organizationName] = ['"<i>&\'"@carillon.test', "<script>alert(1)</script>"];
    await changeOrganization(db, scene.org.realm, { name: organizationName });
    const token = await asked(me, address());
    await db.rows("UPDATE address_changes SET new_address = $2 WHERE user_id = $1", [me.id, email]);
    const path = `/accounts/confirm_new_email/${token}`;
    const before = await db.rows("SELECT * FROM address_changes");
    const { events } = await eventsOf(db, me.realmId, async () => {
      for (const method of ["GET", "HEAD", "GET"]) {
        const answer = await scene.gateway.anonymous.send(method, path);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.headers.get("content-type")).to.equal("text/html; charset=utf-8");
        expect(answer.headers.get("cache-control")).to.equal("no-store");
        expect(answer.headers.get("referrer-policy")).to.equal("no-referrer");
        expect(answer.headers.get("content-security-policy")).to.include("default-src 'none'");
        if (method === "HEAD") continue;
        expect(answer.text).to.include('<form method="post">').and.include(me.deliveryEmail);
        expect(answer.text)
          .to.include("&lt;script&gt;alert(1)")
          .and.not.match(/<script|<i>|<b>&lt;b/);
      }
    });
    expect(events).to.deep.equal([]);
    expect(await db.rows("SELECT * FROM address_changes")).to.deep.equal(before);
    expect((await reload(db, me)).deliveryEmail).to.equal(me.deliveryEmail);

    const sent = address();
    await db.rows("UPDATE address_changes SET new_address = $2 WHERE user_id = $1", [me.id, sent]);
    // The form as a browser sends it.
    const answer = await scene.gateway.anonymous.send("POST", path, {
      body: new URLSearchParams(),
    });
    expect(answer.status, answer.text).to.equal(200);
    expect((await reload(db, me)).deliveryEmail).to.equal(sent);
    const show = (each: string) =>
      scene.gateway.anonymous.send(
        "GET",
        showNewEmail.path.replace("{token}", encodeURIComponent(each)),
      );
    await refusedAlike(db, [token, "x".repeat(32), "%00"], show);
  });

  it("refuses invalid, used and reserved addresses, and changes reserved to administrators", async () => {
    const me = await person();
    const gone = await user(db, scene.org.realm, { isActive: false });
    for (const email of [
      "",
      "nonsense",
      "a@b@c",
      gone.deliveryEmail.toUpperCase(),
      scene.org.owner.deliveryEmail,
      `user7@${hostOf(scene.gateway.services.site, scene.org.realm)}`,
    ])
      await refuses(me, email);
    const strict = await organization(db, { row: { emailChangesDisabled: true } });
    await refuses(strict.member, address());
    expect((await want(strict.admin, address())).status).to.equal(200);
    expect((await want(strict.member, strict.member.deliveryEmail)).status).to.equal(200);
    await refused(db, () => want(scene.org.bot, address()), "BAD_REQUEST");
  });

  it("uses the last requested address, at most one request a minute", async () => {
    const me = await person();
    const first = await asked(me, address());
    await refused(db, () => want(me, address()), "RATE_LIMIT_HIT", undefined, 429);
    await db.rows(
      "UPDATE address_changes SET created_at = now() - interval '61 s' WHERE user_id = $1",
      [me.id],
    );
    const second = await asked(me, address());
    await refused(db, () => confirm(first), "BAD_REQUEST");
    expect((await confirm(second)).status).to.equal(200);
  });

  it("refuses expired links, and links of deactivated accounts or of another address", async () => {
    const [late, gone, moved] = [await person(), await person(), await person()];
    const tokens = [
      await asked(late, address()),
      await asked(gone, address()),
      await asked(moved, address()),
    ];
    await db.rows(
      "UPDATE address_changes SET created_at = now() - interval '25 h' WHERE user_id = $1",
      [late.id],
    );
    await deactivateUser(db, gone);
    await scene.as(scene.org.owner).succeed(updateUser, {
      path: { user_id: moved.id },
      params: { new_email: address() },
    });
    await refusedAlike(db, tokens, confirm);
  });

  it("refuses an address that is taken meanwhile, and changes if they are reserved to administrators meanwhile", async () => {
    const [me, other] = [await person(), await person()];
    const email = address();
    const token = await asked(me, email);
    await scene
      .as(scene.org.owner)
      .succeed(updateUser, { path: { user_id: other.id }, params: { new_email: email } });
    await refused(db, () => confirm(token), "BAD_REQUEST");
    const own = await organization(db);
    const late = await asked(own.member, address());
    await changeOrganization(db, own.realm, { emailChangesDisabled: true });
    await refused(db, () => confirm(late), "BAD_REQUEST");
  });

  it("changes the address once for two concurrent confirmations, and for one of two accounts", async () => {
    const [one, two] = [await person(), await person()];
    const token = await asked(one, address());
    const twice = await Promise.all([confirm(token), confirm(token)]);
    expect(twice.map(({ status }) => status)).to.have.members([200, 400]);
    const email = address();
    const [now] = [await reload(db, one)];
    await db.rows("DELETE FROM address_changes");
    const both = [await asked({ ...now, apiKey: one.apiKey }, email), await asked(two, email)];
    const answers = await Promise.all(both.map(confirm));
    expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
  });

  it("sends no mail for an outdated request", async () => {
    const me = await person();
    await want(me, address());
    await db.rows("DELETE FROM address_changes WHERE user_id = $1", [me.id]);
    expect(await mails()).to.deep.equal([]);
  });
});
