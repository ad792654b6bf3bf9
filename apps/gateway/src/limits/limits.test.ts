import {
  deactivateUser,
  fetchApiKey,
  getOwnUser,
  getServerSettings,
  requestReset,
  updateSettings,
} from "@carillon/contract";
import { readEnvironment, Shutdown } from "@carillon/kit";
import {
  askWithKey,
  bot,
  captureLog,
  clientOf,
  forEachBackend,
  organization,
  pageVisitor,
  replayed,
  testSecretKey,
  useDatabase,
  useQueues,
  user,
  type GatewayClient,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { startGateway } from "../start-gateway.ts";

const password = "correct horse";

forEachBackend("Rate limits of two gateways", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const { log } = captureLog();
  const shutdowns: Shutdown[] = [];
  const urls: string[] = [];
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
    const env = readEnvironment({
      DATABASE_URL: db.url,
      REDIS_URL: queues.config.redisUrl,
      SECRET_KEY: testSecretKey,
      PORT: "0",
      // A day: no test may last so long that something is forgotten meanwhile.
      RATE_LIMITS:
        "user=86400:6;ip=86400:30;login=86400:5;mail=86400:4;reset=3600:2,86400:3;files=86400:3",
      TRUSTED_PROXIES: "loopback",
    });
    for (let i = 0; i < 2; i++) {
      const shutdown = new Shutdown(log);
      shutdowns.push(shutdown);
      urls.push(`http://127.0.0.1:${await startGateway(env, log, shutdown)}`);
    }
  });
  after(async () => void (await Promise.all(shutdowns.map((shutdown) => shutdown.run()))));

  /** Returns the address of a gateway: requests with even and with odd numbers go to different gateways. */
  const urlOf = (i: number) => urls[i % 2] ?? "";
  const as = (i: number, { deliveryEmail: email, apiKey }: TestAccount): GatewayClient =>
    clientOf(urlOf(i), { email, apiKey });
  /** Sends a request without credentials from an IP address. */
  const from = (i: number, address: string, path: string, params?: Record<string, string>) =>
    clientOf(urlOf(i), undefined).send(params ? "POST" : "GET", path, {
      headers: { "X-Forwarded-For": address },
      ...(params ? { body: new URLSearchParams(params) } : {}),
    });
  const logIn = (
    i: number,
    { deliveryEmail }: { deliveryEmail: string },
    given: string,
    address = "10.0.0.1",
  ) => from(i, address, fetchApiKey.path, { username: deliveryEmail, password: given });

  it("count an account's requests on both gateways, successes and errors, and show the count", async () => {
    const me = await user(db, org.realm);
    for (let i = 0; i < 6; i++) {
      // A refusal counts like a success.
      const answer =
        i === 2
          ? await as(i, me).call(deactivateUser, { path: { user_id: 1 } })
          : await as(i, me).call(getOwnUser);
      expect(answer.status).to.equal(i === 2 ? 400 : 200);
      expect(answer.headers.get("x-ratelimit-limit")).to.equal("6");
      expect(answer.headers.get("x-ratelimit-remaining")).to.equal(String(5 - i));
      const reset = Number(answer.headers.get("x-ratelimit-reset"));
      expect(reset - Date.now() / 1_000).to.be.within(86_000, 90_000);
    }
    for (const i of [0, 1]) {
      const { status, body, headers } = await as(i, me).call(getOwnUser);
      expect(status).to.equal(429);
      expect(body).to.have.all.keys("result", "msg", "code", "retry-after");
      expect(body.code).to.equal("RATE_LIMIT_HIT");
      const wait = (body as unknown as { "retry-after": number })["retry-after"];
      expect(wait).to.be.within(1, 90_000);
      expect(headers.get("retry-after")).to.equal(String(wait));
      expect(headers.get("x-ratelimit-remaining")).to.equal("0");
    }
  });

  it("count reads of files apart from other requests", async () => {
    const me = await user(db, org.realm);
    const read = (i: number) => as(i, me).send("GET", "/user_uploads/1/ab/none");
    for (let i = 0; i < 3; i++) expect((await read(i)).status).to.equal(404);
    for (const i of [0, 1]) expect((await read(i)).status).to.equal(429);
    const other = await as(0, me).call(getOwnUser);
    expect(other.headers.get("x-ratelimit-remaining")).to.equal("5");
  });

  it("come before Idempotency-Keys: an answer beyond the limit has no marker", async () => {
    const me = await user(db, org.realm);
    const draft = (i: number, key: string) =>
      askWithKey(as(i, me), { path: "/api/v1/drafts", params: { drafts: [] }, key });
    for (let i = 0; i < 6; i++) {
      const answer = await draft(i, "within");
      expect([answer.status, replayed(answer)]).to.deep.equal([200, String(i > 0)]);
    }
    for (const key of ["within", "beyond", "malformed,"]) {
      const answer = await draft(0, key);
      expect([answer.status, answer.body.code]).to.deep.equal([429, "RATE_LIMIT_HIT"]);
      expect(replayed(answer)).to.equal(null);
    }
    const rows = await db.rows("SELECT FROM idempotency_keys WHERE account_id = $1", [me.id]);
    expect(rows).to.have.length(1);
  });

  it("count a bot's requests apart from its owner's", async () => {
    const me = await user(db, org.realm);
    const robot = await bot(db, me);
    for (let i = 0; i < 6; i++) await as(i, me).succeed(getOwnUser);
    for (const other of [robot, org.admin])
      expect((await as(0, other).call(getOwnUser)).status).to.equal(200);
  });

  it("count the webhooks of a bot together with its other requests, whatever is answered", async () => {
    const me = await user(db, org.realm);
    const [robot, other] = [await bot(db, me), await bot(db, me, { botType: 2 })];
    const post = (i: number, { apiKey }: TestAccount, body: string) =>
      clientOf(urlOf(i), undefined).send("POST", `/api/v1/external/json?api_key=${apiKey}`, {
        headers: { "Content-Type": "application/json" },
        body,
      });
    await as(0, robot).succeed(getOwnUser);
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await post(i, robot, i === 2 ? "{" : "1")).status);
    expect(statuses).to.deep.equal([200, 200, 400, 200, 200]);
    for (const i of [0, 1]) {
      const { status, body, headers } = await post(i, robot, "1");
      expect([status, body.code]).to.deep.equal([429, "RATE_LIMIT_HIT"]);
      expect(headers.get("retry-after")).to.match(/^[0-9.]+$/);
    }
    expect((await as(0, robot).call(getOwnUser)).status).to.equal(429);
    expect((await post(0, other, "1")).status).to.equal(200);
    const sent = await db.rows("SELECT FROM messages WHERE sender_id = $1", [robot.id]);
    expect(sent).to.have.length(4);
  });

  it("count requests without credentials by network, but neither probes nor the browser client", async () => {
    const ask = async (i: number, address: string) =>
      (await from(i, address, getServerSettings.path)).status;
    for (let i = 0; i < 30; i++) expect(await ask(i, `2001:db8::${i}`)).to.equal(200);
    for (const i of [0, 1]) {
      expect(await ask(i, "2001:db8::ffff")).to.equal(429);
      expect(await ask(i, "2001:db8:0:1::1")).to.equal(200);
      expect(await from(i, "2001:db8::1", "/health")).to.include({ status: 200 });
      expect((await from(i, "2001:db8::1", "/")).status).not.to.equal(429);
    }
  });

  it("stop password guessing after five attempts on both gateways together, without affecting API keys", async () => {
    const me = await user(db, org.realm, { password });
    const guesses = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((i) => logIn(i, me, "wrong")));
    expect(guesses.filter(({ status }) => status === 401)).to.have.length(5);
    expect(guesses.filter(({ status }) => status === 429)).to.have.length(2);
    for (const i of [0, 1]) {
      const { status, body, headers } = await logIn(i, me, password, "10.0.0.2");
      expect([status, body.code]).to.deep.equal([429, "RATE_LIMIT_HIT"]);
      expect(body["retry-after"]).to.be.greaterThan(80_000);
      expect(headers.get("x-ratelimit-limit")).to.equal("5");
      expect((await as(i, me).call(getOwnUser)).status).to.equal(200);
    }
    // Another spelling of the e-mail address gives no further attempts.
    const shouted = { deliveryEmail: ` ${me.deliveryEmail.toUpperCase()} ` };
    expect((await logIn(0, shouted, "wrong")).status).to.equal(429);
  });

  it("reset after the right password", async () => {
    const me = await user(db, org.realm, { password });
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++) expect((await logIn(i, me, "wrong")).status).to.equal(401);
      expect((await logIn(round, me, password)).body["api_key"]).to.equal(me.apiKey);
    }
  });

  it("count attempts at unknown accounts too", async () => {
    const nobody = { deliveryEmail: "nobody@carillon.test" };
    for (let i = 0; i < 5; i++)
      expect((await logIn(i, nobody, "wrong", "10.0.0.3")).status).to.equal(401);
    expect((await logIn(0, nobody, "wrong", "10.0.0.3")).status).to.equal(429);
  });

  it("count password guesses of logged-in accounts together with log-ins", async () => {
    const me = await user(db, org.realm, { password });
    for (let i = 0; i < 2; i++)
      expect((await logIn(i, me, "wrong", "10.0.0.4")).status).to.equal(401);
    const params = { old_password: "wrong", new_password: "battery staple" };
    const change = () => as(0, me).call(updateSettings, { params });
    for (let i = 0; i < 3; i++) expect((await change()).body.code).to.equal("BAD_REQUEST");
    expect((await change()).body.code).to.equal("RATE_LIMIT_HIT");
  });

  it("count requests for mails by network, and password resets by e-mail address, on both gateways together", async () => {
    const me = await user(db, org.realm);
    const ask = (i: number, email: string, ip: string) =>
      pageVisitor(clientOf(urlOf(i), undefined), { "X-Forwarded-For": ip }).submit(
        requestReset.path,
        {
          email,
        },
      );
    for (const [email, shouted] of [
      [me.deliveryEmail, ` ${me.deliveryEmail.toUpperCase()}`],
      ["nobody@carillon.test", "NOBODY@carillon.test"],
    ] as const) {
      const ips = email === me.deliveryEmail ? ["10.1.0.1", "10.1.0.2"] : ["10.1.0.3", "10.1.0.4"];
      expect((await ask(0, email, ips[0] ?? "")).status).to.equal(303);
      expect((await ask(1, shouted, ips[1] ?? "")).status).to.equal(303);
      const blocked = await ask(0, email, ips[1] ?? "");
      expect(blocked.status).to.equal(429);
      expect(blocked.headers.get("content-type")).to.match(/^text\/html/);
      expect(Number(blocked.headers.get("retry-after"))).to.be.within(1, 3_800);
    }
    for (let i = 0; i < 4; i++)
      expect((await ask(i, `p${i}@carillon.test`, `2001:db8:1::${i}`)).status).to.equal(303);
    const blocked = await ask(1, "p9@carillon.test", "2001:db8:1::9");
    expect(blocked.status).to.equal(429);
    expect(Number(blocked.headers.get("retry-after"))).to.be.above(70_000);
    expect((await ask(0, "p9@carillon.test", "2001:db8:2::1")).status).to.equal(303);
  });

  it("store no address in any form", async () => {
    const kept = await db.rows<{ bucket: string }>("SELECT bucket FROM rate_hits");
    expect(kept.length > 0).to.equal(backend === "postgres");
    for (const { bucket } of kept)
      expect(bucket).to.match(
        /^(((files-)?user:\d+|(ip|login|mail|reset):[\w-]{20})\/[01]\/86400|reset:[\w-]{20}\/0\/3600)$/,
      );
  });
});
