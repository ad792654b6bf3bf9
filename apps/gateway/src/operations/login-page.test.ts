import { getOwnUser } from "@carillon/contract";
import { errors } from "@carillon/contract";
import {
  changeOrganization,
  clientOf,
  deactivateUser,
  organization,
  pageVisitor,
  refusedByPage,
  startGateway,
  type TestAccount,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const path = "/accounts/login";
const password = "four quiet herons drink";

describe("Login page", () => {
  const scene = useScene({ subdomain: "" });
  const { db } = scene;
  const visitor = () => pageVisitor(scene.gateway.anonymous);
  const person = (more = {}) => user(db, scene.org.realm, { password, ...more });
  const logIn = (
    { deliveryEmail: username }: Pick<TestAccount, "deliveryEmail">,
    given = password,
  ) => visitor().submit(path, { username, password: given });

  it("leads to the account's zuliprc file, which is fetched once", async () => {
    const me = await person();
    const browser = visitor();
    const signedIn = await browser.submit(path, { username: me.deliveryEmail, password });
    expect(signedIn.status, signedIn.text).to.equal(200);
    expect(signedIn.text).to.include(me.deliveryEmail).and.not.include(me.apiKey);
    const file = await browser.send(signedIn, path);
    expect(file.status, file.text).to.equal(200);
    expect(file.headers.get("content-type")).to.equal("text/plain; charset=utf-8");
    expect(file.headers.get("content-disposition")).to.equal('attachment; filename="zuliprc"');
    expect(file.headers.get("cache-control")).to.equal("no-store");
    expect(file.text).to.equal(
      `[api]\nemail=${me.deliveryEmail}\nkey=${me.apiKey}\nsite=http://carillon.test\n`,
    );
    const own = clientOf(scene.gateway.url, { email: me.deliveryEmail, apiKey: me.apiKey });
    expect((await own.call(getOwnUser)).status).to.equal(200);
    refusedByPage(await browser.send(signedIn, path), 404);
    expect(await db.rows("SELECT FROM login_tickets WHERE user_id = $1", [me.id])).to.deep.equal(
      [],
    );
  });

  it("gives one of two requests at once the file", async () => {
    const me = await person();
    const browser = visitor();
    const signedIn = await browser.submit(path, { username: me.deliveryEmail, password });
    const both = await Promise.all([browser.send(signedIn, path), browser.send(signedIn, path)]);
    expect(both.map(({ status }) => status)).to.have.members([200, 404]);
  });

  it("accepts a ticket of nine minutes", async () => {
    const browser = visitor();
    const { deliveryEmail: username, id } = await person();
    const ticket = await browser.submit(path, { username, password });
    await db.rows(
      "UPDATE login_tickets SET created_at = now() - interval '9 min' WHERE user_id = $1",
      [id],
    );
    expect((await browser.send(ticket, path)).status).to.equal(200);
  });

  it("accepts no ticket that is late, unknown, of a deactivated account or of another organization", async () => {
    const [late, gone] = [await person(), await person()];
    const browser = visitor();
    const tickets = [];
    for (const { deliveryEmail: username } of [late, gone])
      tickets.push(await browser.submit(path, { username, password }));
    await db.rows(
      "UPDATE login_tickets SET created_at = now() - interval '601 s' WHERE user_id = $1",
      [late.id],
    );
    await deactivateUser(db, gone);
    const other = await organization(db);
    const texts = [];
    for (const ticket of tickets) texts.push(await browser.send(ticket, path));
    const mine = await browser.submit(path, { username: (await person()).deliveryEmail, password });
    await db.rows("UPDATE login_tickets SET realm_id = $1", [other.realm.id]);
    texts.push(await browser.send(mine, path));
    texts.push(await browser.send(mine, path, { ticket: "x".repeat(32) }));
    texts.push(await browser.send(mine, path, { ticket: "" }));
    expect(texts.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 404]);
    expect(new Set(texts.map(({ text }) => text))).to.have.property("size", 1);
  });

  it("answers a wrong password and an unknown account alike", async () => {
    const me = await person();
    const answers = [
      await logIn(me, "wrong"),
      await logIn({ deliveryEmail: "nobody@carillon.test" }),
    ];
    const shown = answers.map(({ status, text }) => [
      status,
      text.replaceAll(/value="[^"]*"/g, ""),
    ]);
    expect(shown[0]).to.deep.equal(shown[1]);
    refusedByPage(answers[0], 400);
    expect(answers[0]?.text).to.include(`value="${me.deliveryEmail}"`).and.not.include('"wrong"');
  });

  it("shows why an account cannot sign in", async () => {
    const gone = await person();
    await deactivateUser(db, gone);
    expect((await logIn(gone)).text).to.include("deactivated");
    const without = await user(db, scene.org.realm);
    await db.rows("UPDATE users SET password_hash = NULL WHERE id = $1", [without.id]);
    expect((await logIn(without)).text).to.include("no password yet");
    expect((await logIn(scene.org.bot)).text).to.include("wrong");
    expect((await logIn({ deliveryEmail: "nonsense" })).text).to.include(
      "must be an e-mail address",
    );
  });

  it("counts attempts like fetch_api_key", async () => {
    const counted: string[] = [];
    const guesses = {
      begin: async (login: string) => {
        counted.push(login);
        if (counted.length > 2) throw errors.rateLimitHit(60);
      },
      end: async () => {},
    };
    const strict = await startGateway(db, { guesses });
    try {
      const me = await person();
      const ask = () =>
        pageVisitor(strict.anonymous).submit(path, {
          username: me.deliveryEmail,
          password: "wrong",
        });
      expect([(await ask()).status, (await ask()).status]).to.deep.equal([400, 400]);
      const blocked = await ask();
      expect([blocked.status, blocked.headers.get("retry-after")]).to.deep.equal([429, "60"]);
      expect(new Set(counted)).to.have.property("size", 1);
    } finally {
      await strict.close();
    }
  });

  it("has no password form where passwords are off", async () => {
    const me = await person();
    const open = await visitor().open(path);
    expect(open.text).to.include('autocomplete="current-password"');
    await changeOrganization(db, scene.org.realm, { passwordAuthEnabled: false });
    try {
      const { text, status } = await visitor().open(path);
      expect(status).to.equal(200);
      expect(text).to.include("does not use passwords").and.not.include("<form");
      const sent = await pageVisitor(scene.gateway.anonymous, { Cookie: cookieOf(open) }).send(
        open,
        path,
        { username: me.deliveryEmail, password },
      );
      refusedByPage(sent, 400);
      expect(sent.text).not.to.include("ticket");
    } finally {
      await changeOrganization(db, scene.org.realm, { passwordAuthEnabled: true });
    }
  });

  it("redirects to no address of the request, and sets no session", async () => {
    const me = await person();
    const browser = visitor();
    for (const query of ["?next=https://evil.example", "?next=//evil.example", "?next=/api"]) {
      const answer = await browser.submit(path + query, { username: me.deliveryEmail, password });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get("location")).to.equal(null);
      expect(answer.text).not.to.include("evil");
      expect(answer.headers.getSetCookie()).to.deep.equal([]);
    }
  });

  it("is not there for a deactivated organization", async () => {
    const me = await person();
    const browser = visitor();
    const open = await browser.open(path);
    await changeOrganization(db, scene.org.realm, { deactivated: true });
    try {
      refusedByPage(await visitor().open(path), 404);
      const sent = await browser.send(open, path, { username: me.deliveryEmail, password });
      refusedByPage(sent, 404);
    } finally {
      await changeOrganization(db, scene.org.realm, { deactivated: false });
    }
  });

  it("logs neither password, ticket nor key", () => {
    expect(scene.gateway.logText()).to.include("/accounts/login/zuliprc");
    expect(scene.gateway.logText()).not.to.match(/quiet heron|[A-Za-z0-9]{32}"/);
  });
});

function cookieOf(answer: { readonly headers: Headers }): string {
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}
