import { randomUUID } from "node:crypto";
import { bouncerPaths } from "@carillon/push";
import { phoneToken, useBouncer, type BouncersServer, type PhoneToken } from "@carillon/testkit";
import { expect } from "chai";
import { basic, notify, pushTo, registerPhone, request } from "../test-support/call.ts";

describe("POST push/e2ee/notify", () => {
  const bouncer = useBouncer();
  const realm = randomUUID();
  let server: BouncersServer;
  before(async () => {
    server = await bouncer.addServer();
  });
  beforeEach(() => {
    for (const provider of Object.values(bouncer.providers)) {
      provider.handovers.length = 0;
      provider.answer = () => ({ kind: "sent" });
    }
  });

  const phone = (kind: "fcm" | "apns") => registerPhone(bouncer, server, realm, phoneToken(kind));
  const body = (...phones: PhoneToken[]) => ({
    realm_uuid: realm,
    push_requests: phones.map((one) => pushTo(one)),
  });
  const answer = (android: number, apple: number, dead: string[] = []) => ({
    result: "success",
    msg: "",
    android_successfully_sent_count: android,
    apple_successfully_sent_count: apple,
    delete_token_ids: dead,
    realm_push_status: { can_push: true, expected_end_timestamp: null },
  });

  it("hands each notification to its device's provider", async () => {
    const [android, apple] = [await phone("fcm"), await phone("apns")];
    const { status, json } = await notify(bouncer, server, body(android, apple));
    expect([status, json]).to.deep.equal([200, answer(1, 1)]);
    const { fcm, apns } = bouncer.providers;
    expect(fcm.handovers).to.have.length(1);
    expect(fcm.handovers[0]).to.deep.include({
      token: android.token,
      iosAppId: null,
      urgent: true,
      payload: { push_key_id: 7, encrypted_data: "c2VjcmV0" },
    });
    expect(apns.handovers).to.have.length(1);
    expect(apns.handovers[0]).to.deep.include({
      token: apple.token,
      iosAppId: "test.carillon.app",
      urgent: true,
      alert: true,
      payload: {
        push_key_id: 7,
        encrypted_data: "c2VjcmV0",
        aps: { "mutable-content": 1, alert: { title: "New notification" } },
      },
    });
  });

  it("passes on priority and push type", async () => {
    const [android, apple] = [await phone("fcm"), await phone("apns")];
    const quiet = [
      { ...pushTo(android), fcm_priority: "normal" },
      { ...pushTo(apple), http_headers: { apns_priority: 5, apns_push_type: "background" } },
    ];
    await notify(bouncer, server, { realm_uuid: realm, push_requests: quiet });
    expect(bouncer.providers.fcm.handovers[0]).to.include({ urgent: false });
    expect(bouncer.providers.apns.handovers[0]).to.include({ urgent: false, alert: false });
  });

  it("reports dead devices and removes them", async () => {
    const [gone, there] = [await phone("apns"), await phone("fcm")];
    bouncer.providers.apns.answer = () => ({ kind: "dead", why: "410 Unregistered" });
    for (const handedOver of [1, 0]) {
      bouncer.providers.apns.handovers.length = 0;
      const { json } = await notify(bouncer, server, body(gone, there));
      expect(json).to.deep.equal(answer(1, 0, [gone.tokenId]));
      expect(bouncer.providers.apns.handovers).to.have.length(handedOver);
    }
    const rows = await bouncer.rows("registration");
    const hex = Buffer.from(gone.tokenId, "base64").toString("hex");
    expect(rows.filter((row) => row.includes(hex))).to.deep.equal([]);
  });

  it("keeps a device that registers again while its provider reports it dead", async () => {
    const phoneAgain = await phone("fcm");
    bouncer.providers.fcm.answer = async () => {
      await bouncer.store.rows(
        "UPDATE registration SET registered_at = registered_at + interval '1 hour' WHERE token_id = $1",
        [Buffer.from(phoneAgain.tokenId, "base64")],
      );
      return { kind: "dead", why: "404 UNREGISTERED" };
    };
    await notify(bouncer, server, body(phoneAgain));
    bouncer.providers.fcm.answer = () => ({ kind: "sent" });
    const { json } = await notify(bouncer, server, body(phoneAgain));
    expect(json).to.deep.equal(answer(1, 0));
  });

  it("reports unknown devices as dead: of another organization, server or kind", async () => {
    const known = await phone("fcm");
    const asApple = pushTo({ ...known, kind: "apns" });
    const elsewhere = { ...body(known), realm_uuid: randomUUID() };
    const stranger = await bouncer.addServer();
    const dead = answer(0, 0, [known.tokenId]);
    expect((await notify(bouncer, server, elsewhere)).json).to.deep.equal(dead);
    expect((await notify(bouncer, stranger, body(known))).json).to.deep.equal(dead);
    const other = { realm_uuid: realm, push_requests: [asApple] };
    expect((await notify(bouncer, server, other)).json).to.deep.equal(dead);
    expect((await notify(bouncer, server, body(known))).json).to.deep.equal(answer(1, 0));
  });

  it("serves two logins of one phone, and several messages for one device", async () => {
    const shared = await phone("fcm");
    const push_requests = [pushTo(shared, 1), pushTo(shared, 2, "b25l"), pushTo(shared, 2, "dHdv")];
    const { json } = await notify(bouncer, server, { realm_uuid: realm, push_requests });
    expect(json).to.deep.equal(answer(3, 0));
    const payloads = bouncer.providers.fcm.handovers.map(({ payload }) => payload);
    expect(payloads).to.deep.equal([
      { push_key_id: 1, encrypted_data: "c2VjcmV0" },
      { push_key_id: 2, encrypted_data: "b25l" },
      { push_key_id: 2, encrypted_data: "dHdv" },
    ]);
  });

  it("neither counts a refused notification nor reports its device dead", async () => {
    bouncer.providers.fcm.answer = () => ({ kind: "refused", why: "400 INVALID_ARGUMENT" });
    const { status, json } = await notify(bouncer, server, body(await phone("fcm")));
    expect([status, json]).to.deep.equal([200, answer(0, 0)]);
  });

  it("answers 502 when a provider has accepted nothing, so that the server retries", async () => {
    const [android, apple] = [await phone("fcm"), await phone("apns")];
    bouncer.providers.fcm.answer = () => ({ kind: "undelivered", why: "503 UNAVAILABLE" });
    const nothing = await notify(bouncer, server, body(android));
    expect([nothing.status, nothing.json["code"]]).to.deep.equal([
      502,
      "PUSH_PROVIDER_UNAVAILABLE",
    ]);
    // Without an idempotency key, a repeat would reach the other device twice.
    const part = await notify(bouncer, server, body(android, apple));
    expect([part.status, part.json]).to.deep.equal([200, answer(0, 1)]);
    bouncer.providers.apns.answer = () => ({ kind: "unsure", why: "ETIMEDOUT" });
    const unsure = await notify(bouncer, server, body(android, apple));
    expect([unsure.status, unsure.json]).to.deep.equal([200, answer(0, 0)]);
  });

  it("answers an empty call", async () => {
    expect((await notify(bouncer, server, body())).json).to.deep.equal(answer(0, 0));
  });

  it("refuses malformed bodies, and hands nothing over", async () => {
    const android = await phone("fcm");
    const entry = pushTo(android);
    const wrong: unknown[] = [
      "",
      "[",
      "null",
      [],
      { push_requests: [] },
      { realm_uuid: realm },
      { realm_uuid: "5", push_requests: [] },
      { realm_uuid: realm, push_requests: {} },
      { realm_uuid: realm, push_requests: [entry, null] },
      { realm_uuid: realm, push_requests: [entry, { ...entry, token_id: "AAAA" }] },
      { realm_uuid: realm, push_requests: [entry, { ...entry, fcm_priority: "urgent" }] },
      { realm_uuid: realm, push_requests: [entry, { ...entry, payload: {} }] },
      { realm_uuid: realm, push_requests: Array(501).fill(entry) },
      "[".repeat(100_000),
    ];
    for (const one of wrong) {
      const { status, json } = await notify(bouncer, server, one);
      const what = JSON.stringify(one).slice(0, 80);
      expect([status, json["code"]], what).to.deep.equal([400, "BAD_REQUEST"]);
    }
    // Entries of a list that is too long are not checked one by one.
    const many = { realm_uuid: realm, push_requests: Array.from({ length: 20_000 }, () => 0) };
    expect((await notify(bouncer, server, many)).json["msg"]).to.match(/500 notifications/);
    const large = await notify(bouncer, server, " ".repeat(4_300_000));
    expect([large.status, large.json["code"]]).to.deep.equal([413, "REQUEST_TOO_LARGE"]);
    const whole = { ...entry, payload: { push_key_id: 7, encrypted_data: "A".repeat(5_500) } };
    const full = {
      realm_uuid: randomUUID(),
      push_requests: Array.from({ length: 500 }, () => whole),
    };
    expect((await notify(bouncer, server, full)).status).to.equal(200);
    const form = await request(bouncer.url, bouncerPaths.notify, {
      method: "POST",
      headers: basic(server),
      body: new URLSearchParams({ realm_uuid: realm }),
    });
    expect([form.status, form.json["code"]]).to.deep.equal([400, "BAD_REQUEST"]);
    expect(bouncer.providers.fcm.handovers).to.deep.equal([]);
  });

  it("needs two statements for each further hundred devices", async () => {
    const phones = Array.from({ length: 110 }, () => phoneToken("fcm"));
    await Promise.all(phones.map((one) => registerPhone(bouncer, server, realm, one)));
    const asked = async (count: number) => {
      const before = await statements();
      const { json } = await notify(bouncer, server, body(...phones.slice(0, count)), `n${count}`);
      expect(json).to.deep.equal(answer(count, 0));
      return (await statements()) - before;
    };
    // One records the batch before it is handed over, the other its outcomes.
    const few = await asked(3);
    expect(await asked(110)).to.equal(few + 2);
  });

  /** Number of statements that the bouncer's pool has run. */
  let queries = 0;
  before(() => {
    const { pool } = bouncer.store;
    const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
    Object.assign(pool, { query: (...args: unknown[]) => (queries++, query(...args)) });
  });
  const statements = () => Promise.resolve(queries);

  it("logs neither tokens nor payloads nor keys", async () => {
    const android = await phone("fcm");
    bouncer.providers.fcm.answer = () => ({ kind: "refused", why: "400" });
    await notify(bouncer, server, body(android), "a-key-of-a-call");
    expect(bouncer.logText()).to.include("providers did not accept");
    for (const secret of [android.token, "c2VjcmV0", server.key])
      expect(bouncer.logText()).to.not.include(secret);
  });
});
