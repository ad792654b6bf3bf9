import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { fetchApiKey, getOwnUser, updateSettings } from "@carillon/contract";
import { makeResetLink } from "@carillon/jobs";
import { realmUrl, type Site } from "@carillon/model";
import {
  type Answer,
  changeOrganization,
  changesOf,
  deactivateUser,
  eventsOf,
  linkIn,
  observed,
  organization,
  pageVisitor,
  refusedByPage,
  refusedWith,
  reload,
  runIntents,
  sentMails,
  type TestAccount,
  testSite,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const request = "/accounts/password/reset";
const password = "four quiet herons drink";

describe("Password reset by mail", () => {
  const scene = useScene({ subdomain: "" });
  const { db } = scene;
  const visitor = (headers = {}) => pageVisitor(scene.gateway.anonymous, headers);

  const ask = (email: string, headers = {}) => visitor(headers).submit(request, { email });
  /** Asks for a reset and returns the path of the link in the mail. */
  async function linkFor(person: TestAccount): Promise<string> {
    const answer = await ask(person.deliveryEmail);
    expect(answer.status, answer.text).to.equal(303);
    const sent = (await sentMails(db)).filter(({ to }) => to === person.deliveryEmail);
    const link = linkIn(sent.find(({ id }) => id.startsWith("password-reset-")));
    const url = realmUrl(scene.gateway.services.site, scene.org.realm);
    expect(link).to.match(new RegExp(`^${url}${request}/[A-Za-z0-9]{32}$`));
    return new URL(link).pathname;
  }
  const person = (more = {}) =>
    user(db, scene.org.realm, { password: "an old pass phrase", ...more });
  const logIn = ({ deliveryEmail: username }: TestAccount, given: string) =>
    scene.gateway.anonymous.call(fetchApiKey, { params: { username, password: given } });
  const isGone = (answer: Answer) => refusedByPage(answer, 404);

  it("sets the password once, keeps the API key, and tells by mail", async () => {
    const me = await person();
    const path = await linkFor(me);
    const page = await visitor().open(`${path}/`);
    expect(page.status).to.equal(200);
    expect(page.text).to.include(me.deliveryEmail).and.include('autocomplete="new-password"');
    const { result: answer, events } = await eventsOf(db, me.realmId, () =>
      visitor().submit(path, { password }),
    );
    expect(answer.status, answer.text).to.equal(303);
    expect(answer.headers.get("location")).to.equal(`${request}/done`);
    expect(events).to.deep.equal([]);
    expect((await visitor().open(`${request}/done`)).text).to.include("Your password is set");
    refusedWith(await logIn(me, "an old pass phrase"), "AUTHENTICATION_FAILED");
    expect((await logIn(me, password)).body).to.include({ api_key: me.apiKey });
    const [told, ...none] = await sentMails(db);
    expect(none).to.deep.equal([]);
    expect(told).to.include({ to: me.deliveryEmail });
    expect(told?.text).to.include("API key is the same").and.not.include(path);
    const [audit] = await db.prisma.auditLog.findMany({
      where: { modifiedUserId: me.id, eventType: "user_password_reset" },
    });
    expect(audit).to.deep.include({
      actingUserId: me.id,
      extraData: { by: "link", new_api_key: false },
    });
    const after = await visitor().open(path);
    isGone(after);
    isGone(await visitor().send(page, path, { password: "another good phrase" }, cookieOf(page)));
    expect((await logIn(me, password)).status).to.equal(200);
  });

  it("replaces the API key if the box is ticked", async () => {
    const me = await person();
    const answer = await visitor().submit(await linkFor(me), { password, new_api_key: "true" });
    expect(answer.status, answer.text).to.equal(303);
    refusedWith(await scene.as(me).call(getOwnUser), "UNAUTHORIZED");
    const { api_key: apiKey } = (await logIn(me, password)).body as { api_key: string };
    expect(apiKey).not.to.equal(me.apiKey);
    expect((await scene.as({ ...me, apiKey }).call(getOwnUser)).status).to.equal(200);
    expect((await sentMails(db)).map(({ text }) => text).join()).to.include(
      "API key was replaced too",
    );
  });

  it("answers alike for every address, with the same statements, and mails accounts only", async () => {
    const [me, gone] = [await person(), await person({ isActive: false })];
    const other = await organization(db);
    const addresses = [
      me.deliveryEmail,
      ` ${me.deliveryEmail.toUpperCase()} `,
      gone.deliveryEmail,
      scene.org.bot.deliveryEmail,
      other.member.deliveryEmail,
      "nobody@carillon.test",
    ];
    const seen = new Set<string>();
    for (const email of addresses) seen.add(await observed(db, () => ask(email)));
    expect([...seen]).to.have.length(1);
    expect([...seen][0])
      .to.include("INTO reset_requests")
      .and.include("INTO job_intent");
    const sent = await sentMails(db);
    expect(sent.map(({ to }) => to)).to.deep.equal([
      me.deliveryEmail,
      me.deliveryEmail,
      gone.deliveryEmail,
    ]);
    expect(sent[2]?.text).to.include("deactivated").and.not.include(`${request}/`);
    expect(await db.rows("SELECT FROM reset_requests")).to.deep.equal([]);
  });

  it("ignores GET and HEAD of mail scanners", async () => {
    const me = await person();
    const path = await linkFor(me);
    const before = await db.rows("SELECT * FROM password_resets");
    for (const method of ["GET", "HEAD", "GET"]) {
      const answer = await scene.gateway.anonymous.send(method, path);
      expect(answer.status).to.equal(200);
    }
    expect(await db.rows("SELECT * FROM password_resets")).to.deep.equal(before);
    expect((await visitor().submit(path, { password })).status).to.equal(303);
  });

  it("shows the form again for a weak password; the link stays usable, and the password is not shown", async () => {
    const me = await person();
    const path = await linkFor(me);
    for (const [weak, why] of [
      ["", "at least 6"],
      ["abcde", "at least 6"],
      ["x".repeat(101), "more than 100"],
      ["password", "most common"],
      ["Password", "most common"],
      ["a".repeat(22), "too easy to guess"],
      ["abcdefghij".repeat(10), "too easy to guess"],
    ] as const) {
      const answer = await visitor().submit(path, { password: weak, new_api_key: "true" });
      refusedByPage(answer, 400);
      expect(answer.text).to.include(why).and.include("checked");
      expect(answer.text).not.to.include(`value="${weak}"`);
    }
    expect((await reload(db, me)).apiKey ?? me.apiKey).to.equal(me.apiKey);
    expect((await visitor().submit(path, { password })).status).to.equal(303);
  });

  it("ends the account's other links when one is used, and when the password is changed otherwise", async () => {
    const me = await person();
    const [first, second] = [await linkFor(me), await linkFor(me)];
    expect((await visitor().submit(second, { password })).status).to.equal(303);
    isGone(await visitor().open(first));
    const third = await linkFor(me);
    await scene.as(me).succeed(updateSettings, {
      params: { old_password: password, new_password: "five quiet herons drink" },
    });
    isGone(await visitor().open(third));
  });

  it("accepts one of two forms that are sent at once", async () => {
    const me = await person();
    const path = await linkFor(me);
    const phrases = ["one quiet heron drinks", "two quiet herons drink"];
    const answers = await Promise.all(
      phrases.map((each) => visitor().submit(path, { password: each })),
    );
    expect(answers.map(({ status }) => status)).to.have.members([303, 404]);
    const winner = answers.findIndex(({ status }) => status === 303);
    expect((await logIn(me, phrases[winner] ?? "")).status).to.equal(200);
    refusedWith(await logIn(me, phrases[1 - winner] ?? ""), "AUTHENTICATION_FAILED");
  });

  it("accepts a link of almost 24 hours", async () => {
    const me = await person();
    const path = await linkFor(me);
    await db.rows(
      "UPDATE password_resets SET created_at = now() - interval '23 h 55 min' WHERE user_id = $1",
      [me.id],
    );
    expect((await visitor().submit(path, { password })).status).to.equal(303);
  });

  it("answers 404 alike for links that are unknown, expired, of another organization, address or state", async () => {
    const [late, gone, moved] = [await person(), await person(), await person()];
    const paths = [await linkFor(late), await linkFor(gone), await linkFor(moved)];
    await db.rows(
      "UPDATE password_resets SET created_at = now() - interval '24 h 1 s' WHERE user_id = $1",
      [late.id],
    );
    await deactivateUser(db, gone);
    await db.rows("UPDATE users SET delivery_email = 'moved@carillon.test' WHERE id = $1", [
      moved.id,
    ]);
    const good = await linkFor(await person());
    await organization(db, { subdomain: "other" });
    const elsewhere = await getAt(scene.gateway.url, good, "other.carillon.test");
    refusedByPage(elsewhere, 404);
    const texts = [
      elsewhere.text,
      ...(await Promise.all(
        [...paths, `${request}/${"x".repeat(32)}`].map(async (path) =>
          isGone(await visitor().open(path)),
        ),
      )),
    ];
    expect(new Set(texts)).to.have.property("size", 1);
    expect((await visitor().open(good)).status).to.equal(200);
  });

  it("hashes and estimates nothing for a link that does not work", async () => {
    const form = await visitor().open(request);
    const { result } = await changesOf(db, () =>
      visitor().send(form, `${request}/${"x".repeat(32)}`, { password: "x" }, cookieOf(form)),
    );
    // A weak password would be refused with 400.
    isGone(result);
  });

  it("names the way in where passwords are off, and accepts no link then", async () => {
    const me = await person();
    const path = await linkFor(me);
    await changeOrganization(db, scene.org.realm, { passwordAuthEnabled: false });
    try {
      isGone(await visitor().open(path));
      await ask(me.deliveryEmail);
      const [mail] = await sentMails(db);
      expect(mail?.text)
        .to.match(/\/accounts\/login$/m)
        .and.not.include(`${request}/`);
    } finally {
      await changeOrganization(db, scene.org.realm, { passwordAuthEnabled: true });
    }
  });

  it("names the login page to an account without password where there is an identity provider", async () => {
    const me = await person();
    await db.rows("UPDATE users SET password_hash = NULL WHERE id = $1", [me.id]);
    const identityProvider = { subdomain: undefined } as NonNullable<Site["identityProvider"]>;
    await ask(me.deliveryEmail);
    const [named] = await sentMails(db, { site: testSite({ identityProvider }) });
    expect(linkIn(named)).to.match(/\/accounts\/login$/);
    expect(named?.text).not.to.include(`${request}/`);
    await ask(me.deliveryEmail);
    expect(linkIn((await sentMails(db))[0])).to.include(`${request}/`);
  });

  it("sends no mail for a link that was used before the mail, and none twice", async () => {
    const me = await person();
    await ask(me.deliveryEmail);
    await ask(me.deliveryEmail);
    await runIntents(db, makeResetLink);
    await db.rows("UPDATE password_resets SET ended_at = now() WHERE user_id = $1", [me.id]);
    expect(await sentMails(db)).to.deep.equal([]);
    expect(await sentMails(db)).to.deep.equal([]);
  });

  it("makes links of PUBLIC_URL, whatever host the request names", async () => {
    const me = await person();
    const headers = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "ftp" };
    expect((await ask(me.deliveryEmail, headers)).status).to.equal(303);
    const [mail] = await sentMails(db);
    expect(mail?.text).to.include("http://carillon.test/").and.not.include("evil");
    expect(mail?.subject).to.include(scene.org.realm.name);
  });

  it("refuses forged forms, and ignores what is no address, with the usual answer", async () => {
    const me = await person();
    const refused = await changesOf(db, async () => {
      const forged = await visitor().submit(
        request,
        { email: me.deliveryEmail },
        { Origin: "http://evil.example" },
      );
      refusedByPage(forged, 403);
      const bare = await scene.gateway.anonymous.post(request, { email: me.deliveryEmail });
      refusedByPage(bare, 403);
      for (const text of ["", "nonsense", "a@b@c", "<b>@carillon.test", "x".repeat(9_000)]) {
        const answer = await ask(text);
        expect([answer.status, answer.headers.get("location")]).to.deep.equal([
          303,
          `${request}/sent`,
        ]);
      }
      refusedByPage(await ask("a\0@carillon.test"), 400);
    });
    expect(refused.tables).to.deep.equal([]);
  });

  it("logs neither keys nor passwords", () => {
    expect(scene.gateway.logText()).to.include(`${request}/{key}`);
    expect(scene.gateway.logText()).not.to.match(/reset\/[A-Za-z0-9]{32}|quiet heron/);
  });
});

/** Gets a page of an organization, which the host names. */
async function getAt(url: string, path: string, host: string) {
  const sent = get(`${url}${path}`, { headers: { Host: host } });
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await text(response) };
}

function cookieOf(page: Answer): { Cookie: string } {
  return { Cookie: page.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}
