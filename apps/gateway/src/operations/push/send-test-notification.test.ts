import { getServerSettings, sendTestNotification } from "@carillon/contract";
import { bouncerClient, decryptPayload } from "@carillon/push";
import {
  answers,
  bot,
  device,
  drops,
  garbage,
  hangs,
  organization,
  refused,
  refusedWith,
  refuses,
  snapshotOf,
  startFakeBouncer,
  startGateway,
  useDatabase,
  useGateway,
  user,
  watch,
  type BouncerFault,
  type FakeBouncer,
  type Gateway,
  type Params,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

// push.md §6
describe("POST /mobile_push/e2ee/test_notification", () => {
  const db = useDatabase();
  const unconfigured = useGateway(db);
  let bouncer: FakeBouncer;
  let gateway: Gateway;
  let org: TestOrganization;
  let me: TestAccount;
  before(async () => {
    bouncer = await startFakeBouncer();
    gateway = await startGateway(db, { bouncer: bouncerClient(bouncer.config, "12.0") });
    org = await organization(db, { name: "Bells" });
  });
  after(async () => {
    await gateway.close();
    await bouncer.close();
  });
  beforeEach(async () => {
    bouncer.reset();
    me = await user(db, org.realm);
  });

  const ask = (params: Params = {}, by = me, at = gateway) =>
    at.as(by).call(sendTestNotification, { params });
  const sent = async (params: Params = {}, by = me) =>
    expect((await ask(params, by)).body).to.deep.equal({ result: "success", msg: "" });
  const none = (params: Params, by = me) =>
    refused(db, () => ask(params, by), "NO_ACTIVE_PUSH_DEVICE", {});
  const row = (id: number) => db.prisma.clientDevice.findUniqueOrThrow({ where: { id } });

  it("sends a payload to every active device, encrypted for that device", async () => {
    await device(db, me, { key: { id: 4_294_967_295, fill: 7 }, active: 1 });
    await device(db, me, { key: { id: 0, fill: 8 }, active: 2, kind: "apns", pending: 3 });
    await device(db, me, { key: { id: 5 }, active: 4, pending: 3, error: "BAD_REQUEST" });
    await device(db, me, { pending: 5 });
    await device(db, me);
    await device(db, org.owner, { active: 6 });
    await sent();

    const [body, ...more] = bouncer.handedOver;
    expect(more).to.deep.equal([]);
    const { uuid } = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
    expect(body?.realm_uuid).to.equal(uuid);
    const id = (fill: number) => Buffer.alloc(8, fill).toString("base64");
    expect(body?.push_requests.map(({ token_id }) => token_id)).to.deep.equal([
      id(1),
      id(2),
      id(4),
    ]);
    expect(body?.push_requests.map(({ payload }) => payload.push_key_id)).to.deep.equal([
      4_294_967_295, 0, 5,
    ]);
    const [fcm, apns] = body?.push_requests ?? [];
    expect(fcm).to.include({ fcm_priority: "high" });
    expect(apns).to.deep.include({
      http_headers: { apns_priority: 10, apns_push_type: "alert" },
    });
    const key = Buffer.alloc(33, 7).fill(0x31, 0, 1);
    const payload = await decryptPayload(key, fcm?.payload.encrypted_data ?? "");
    const { time, ...rest } = payload as { time: number };
    expect(Number.isInteger(time)).to.equal(true);
    const { subdomain } = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
    expect(rest).to.deep.equal({
      type: "test",
      realm_url: `http://${subdomain}.carillon.test`,
      realm_name: "Bells",
      user_id: me.id,
    });
  });

  it("sends to the named device only", async () => {
    await device(db, me, { active: 1 });
    const wanted = await device(db, me, { active: 2 });
    await sent({ device_id: wanted });
    const tokens = bouncer.handedOver.flatMap(({ push_requests }) =>
      push_requests.map(({ token_id }) => token_id),
    );
    expect(tokens).to.deep.equal([Buffer.alloc(8, 2).toString("base64")]);
  });

  it("allows people, including guests", async () => {
    await device(db, org.guest, { active: 9 });
    await sent({}, org.guest);
    const machine = await bot(db, org.owner);
    await refused(db, () => ask({}, machine), "BAD_REQUEST");
  });

  it("requires credentials and a numeric device ID", async () => {
    await device(db, me, { active: 1 });
    refusedWith(await gateway.anonymous.call(sendTestNotification), "UNAUTHORIZED");
    for (const device_id of ["x", "1.5"])
      await refused(db, () => ask({ device_id }), "BAD_REQUEST");
    expect(bouncer.calls).to.deep.equal([]);
  });

  it("reports a missing push service before it looks up devices", async () => {
    for (const params of [{}, { device_id: 1 }])
      await refused(db, () => ask(params, me, unconfigured), "PUSH_SERVICE_NOT_CONFIGURED", {});
    await refused(db, () => ask({ device_id: "x" }, me, unconfigured), "BAD_REQUEST");
  });

  it("does not call the bouncer if the caller has no such active device", async () => {
    await none({});
    const mine = await device(db, me);
    const pending = await device(db, me, { pending: 1 });
    const failed = await device(db, me, { pending: 1, error: "BAD_REQUEST" });
    const foreign = await device(db, org.owner, { active: 1 });
    for (const device_id of [mine, pending, failed, foreign, 2_000_000_000, -1])
      await none({ device_id });
    await none({});
    expect(bouncer.calls).to.deep.equal([]);
  });

  const failures: Array<[string, BouncerFault, string, number]> = [
    ["the bouncer does not answer", drops, "FAILED_TO_CONNECT_BOUNCER", 502],
    ["the bouncer fails", answers({ status: 500 }), "INTERNAL_SERVER_ERROR_ON_BOUNCER", 502],
    [
      "the bouncer's proxy fails",
      answers({ status: 503, text: "<html>" }),
      "INTERNAL_SERVER_ERROR_ON_BOUNCER",
      502,
    ],
    [
      "the response is an HTML page",
      answers({ text: "<html>" }),
      "INTERNAL_SERVER_ERROR_ON_BOUNCER",
      502,
    ],
    ["the response is not HTTP", garbage, "INTERNAL_SERVER_ERROR_ON_BOUNCER", 502],
    [
      "the credentials are wrong",
      refuses(403, "INVALID_ZULIP_SERVER"),
      "ADMIN_ACTION_REQUIRED",
      403,
    ],
    [
      "the bouncer returns an unknown status",
      answers({ status: 302 }),
      "ADMIN_ACTION_REQUIRED",
      403,
    ],
    ["the request is refused", refuses(400, "BAD_REQUEST"), "ADMIN_ACTION_REQUIRED", 403],
    ["the rate limit is exceeded", refuses(429, "RATE_LIMIT_HIT"), "ADMIN_ACTION_REQUIRED", 403],
  ];
  for (const [what, fault, code, status] of failures)
    it(`answers ${code} if ${what}, and changes nothing`, async () => {
      await device(db, me, { active: 1 });
      bouncer.behave({ fault });
      await refused(db, () => ask(), code, {}, status);
      expect(bouncer.calls).to.have.length(1);
    });

  it("answers within the call's timeout if the bouncer hangs", async () => {
    const impatient = await startGateway(db, {
      bouncer: bouncerClient({ ...bouncer.config, timeoutMs: 100 }, "12.0"),
    });
    try {
      await device(db, me, { active: 1 });
      bouncer.behave({ fault: hangs });
      await refused(db, () => ask({}, me, impatient), "FAILED_TO_CONNECT_BOUNCER", {}, 502);
    } finally {
      await impatient.close();
    }
  });

  it("holds no database connection during the call to the bouncer", async () => {
    await device(db, me, { active: 1 });
    const idle: number[] = [];
    bouncer.behave({
      fault: async (_call, { accept }) => {
        const open = await db.rows(
          `SELECT FROM pg_stat_activity
           WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
        );
        idle.push(open.length);
        return accept();
      },
    });
    await sent();
    expect(idle).to.deep.equal([0]);
  });

  describe("stores from the bouncer's response", () => {
    const watched = (by: TestAccount) => ({ own: { account: by }, other: { account: org.owner } });
    const strip = (events: ReadonlyArray<{ readonly id: number }>) =>
      events.map(({ id: _id, ...event }) => event);
    const flag = async () =>
      (await snapshotOf(gateway.as(me), ["realm"]))["realm_push_notifications_enabled"];

    it("expired tokens: reports no device if all have expired", async () => {
      const id = await device(db, me, { key: { id: 5 }, active: 1 });
      const token = Buffer.alloc(8, 1).toString("base64");
      bouncer.behave({ notifyAnswer: { delete_token_ids: [token, "nonsense", ""] } });
      const received = await watch(gateway, watched(me), async () =>
        refusedWith(await ask(), "NO_ACTIVE_PUSH_DEVICE", {}),
      );
      expect(strip(received.own)).to.deep.equal([
        { type: "device", op: "update", device_id: id, push_token_id: null },
      ]);
      expect(received.other).to.deep.equal([]);
      const { pushTokenId, pushKeyId, pushKey } = await row(id);
      expect(pushTokenId).to.equal(null);
      expect(Number(pushKeyId)).to.equal(5);
      expect(pushKey?.length).to.equal(33);
      await none({});
      expect(bouncer.calls).to.have.length(1);
    });

    it("expired tokens: succeeds if some have expired", async () => {
      const dead = await device(db, me, { active: 1 });
      const alive = await device(db, me, { active: 2 });
      const others = await device(db, org.owner, { active: 1 });
      const token = Buffer.alloc(8, 1).toString("base64");
      bouncer.behave({ notifyAnswer: { delete_token_ids: [token] } });
      await sent();
      expect((await row(dead)).pushTokenId).to.equal(null);
      for (const id of [alive, others]) expect((await row(id)).pushTokenId).not.to.equal(null);
    });

    it("nothing about a device that has registered another token meanwhile", async () => {
      const id = await device(db, me, { active: 1 });
      bouncer.behave({
        fault: async (_call, { accept }) => {
          await db.rows("UPDATE client_devices SET push_token_id = $2 WHERE id = $1", [
            id,
            Buffer.alloc(8, 3),
          ]);
          return accept();
        },
        notifyAnswer: { delete_token_ids: [Buffer.alloc(8, 1).toString("base64")] },
      });
      refusedWith(await ask(), "NO_ACTIVE_PUSH_DEVICE", {});
      expect((await row(id)).pushTokenId).not.to.equal(null);
    });

    it("whether the organization may push, and until when, with events for changes", async () => {
      await device(db, me, { active: 1 });
      const until = (can_push: boolean, expected_end_timestamp: number | null) => ({
        notifyAnswer: { realm_push_status: { can_push, expected_end_timestamp } },
      });
      const learn = async (behaviour: Parameters<FakeBouncer["behave"]>[0]) => {
        bouncer.behave(behaviour);
        const received = await watch(gateway, watched(me), () => ask());
        expect(strip(received.own)).to.deep.equal(strip(received.other));
        return received.own.map(({ type, op, property, value }) => [
          `${type}/${op}`,
          property,
          value,
        ]);
      };
      const enabled = "push_notifications_enabled";
      const end = "push_notifications_enabled_end_timestamp";
      expect(await learn(until(true, null))).to.deep.equal([]);
      expect(await learn(until(true, 2_000_000_000))).to.deep.equal([
        ["realm/update", end, 2_000_000_000],
      ]);
      const snapshot = await snapshotOf(gateway.as(me), ["realm"]);
      expect(snapshot[`realm_${end}`]).to.equal(2_000_000_000);
      expect(await learn(until(true, 2_000_000_000))).to.deep.equal([]);
      expect(await learn(until(false, null))).to.deep.equal([
        ["realm/update", enabled, false],
        ["realm/update", end, null],
      ]);
      expect(await flag()).to.equal(false);
      const host = {
        headers: { host: new URL(`http://${org.realm.subdomain}.carillon.test`).host },
      };
      const settings = await gateway.anonymous.call(getServerSettings, host);
      expect(settings.body["push_notifications_enabled"]).to.equal(false);
      expect(await learn(until(true, null))).to.deep.equal([["realm/update", enabled, true]]);
      for (const code of ["MISSING_REMOTE_REALM", "PUSH_NOTIFICATIONS_DISALLOWED"]) {
        expect(await learn({ fault: refuses(403, code) })).to.deep.equal([
          ["realm/update", enabled, false],
        ]);
        expect(await learn({ fault: refuses(403, code) })).to.deep.equal([]);
        expect(await learn({})).to.deep.equal([["realm/update", enabled, true]]);
      }
    });

    it("a timestamp of any size", async () => {
      await device(db, me, { active: 1 });
      for (const [said, shown] of [
        [Number.MAX_SAFE_INTEGER, 253_402_300_799],
        [-Number.MAX_SAFE_INTEGER, 0],
      ] as const) {
        bouncer.behave({
          notifyAnswer: { realm_push_status: { can_push: true, expected_end_timestamp: said } },
        });
        await sent();
        const snapshot = await snapshotOf(gateway.as(me), ["realm"]);
        expect(snapshot["realm_push_notifications_enabled_end_timestamp"]).to.equal(shown);
      }
    });

    it("that the plan forbids it: ADMIN_ACTION_REQUIRED", async () => {
      await device(db, me, { active: 1 });
      for (const code of ["MISSING_REMOTE_REALM", "PUSH_NOTIFICATIONS_DISALLOWED"]) {
        bouncer.behave({ fault: refuses(403, code) });
        refusedWith(await ask(), "ADMIN_ACTION_REQUIRED", {}, 403);
      }
      bouncer.behave({});
      await sent();
      expect(await flag()).to.equal(true);
    });
  });

  it("logs no key, token or payload, whatever the response", async () => {
    await device(db, me, { key: { id: 5, fill: 7 }, active: 1 });
    for (const fault of [
      undefined,
      drops,
      garbage,
      refuses(400, "BAD_REQUEST"),
      answers({ text: "x" }),
    ]) {
      bouncer.behave(fault ? { fault } : {});
      await ask();
    }
    const boxes = bouncer.handedOver.flatMap(({ push_requests }) =>
      push_requests.map(({ payload }) => payload.encrypted_data),
    );
    for (const secret of [
      ...boxes,
      Buffer.alloc(8, 1).toString("base64"),
      Buffer.alloc(33, 7).fill(0x31, 0, 1).toString("base64"),
      bouncer.config.serverKey,
    ])
      expect(gateway.logText()).not.to.include(secret);
  });
});
