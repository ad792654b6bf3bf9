import { registerPushDevice } from "@carillon/contract";
import {
  changesOf,
  countQueries,
  device,
  organization,
  pushKey,
  pushToken,
  refused,
  refusedAlike,
  snapshotOf,
  succeededWithoutFields,
  useDatabase,
  useGateway,
  user,
  watch,
  type DeviceContents,
  type Params,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

// push.md §2, in the order of its checks
describe("POST /mobile_push/register", () => {
  const db = useDatabase();
  const gateway = useGateway(db, { site: { pushConfigured: true } });
  const unconfigured = useGateway(db);
  let org: TestOrganization;
  let me: TestAccount;
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    me = await user(db, org.realm);
  });

  const both = { ...pushKey(1), ...pushToken(1) };
  const register = (device_id: number | undefined, params: Params, by = me) =>
    gateway.as(by).call(registerPushDevice, { params: { device_id, ...params } });
  const shown = async (id: number, by = me) => {
    const snapshot = await snapshotOf(gateway.as(by), ["device"]);
    return (snapshot["devices"] as Record<string, unknown>)[id];
  };
  const intents = () =>
    db.rows<{ key: string; payload: unknown }>(
      "SELECT unique_key AS key, payload FROM job_intent WHERE job = 'register-push-token' ORDER BY id",
    );
  const row = (id: number) => db.prisma.clientDevice.findUniqueOrThrow({ where: { id } });

  /** Registers, and expects exactly these events of the device, in the owner's queue only. */
  async function accepted(
    id: number,
    params: Params,
    events: ReadonlyArray<Readonly<Record<string, unknown>>>,
  ) {
    const before = (await intents()).length;
    const received = await watch(
      gateway,
      { own: { account: me }, other: { account: org.owner } },
      async () => {
        const answer = await register(id, params);
        expect(answer.body).to.deep.equal({ result: "success", msg: "" });
      },
    );
    const fields = received.own.map(
      ({ id: _id, push_token_last_updated_timestamp: at, ...event }) => ({
        ...event,
        ...(at === undefined ? {} : { updated: typeof at }),
      }),
    );
    expect(fields).to.deep.equal(
      events.map((event) => ({ type: "device", op: "update", device_id: id, ...event })),
    );
    expect(received.other).to.deep.equal([]);
    return (await intents()).slice(before);
  }

  const pending = (token: { token_id: string }) => ({
    pending_push_token_id: token.token_id,
    push_registration_error_code: null,
    updated: "number",
  });

  it("allows people, including guests, for their own devices only", async () => {
    await refused(db, () => gateway.as(org.bot).call(registerPushDevice, { params: {} }));
    await refused(db, () => gateway.anonymous.call(registerPushDevice), "UNAUTHORIZED");
    const id = await device(db, org.guest);
    expect((await register(id, both, org.guest)).status).to.equal(200);
    // Unknown devices and those of others give the same error.
    const others = [id, await device(db, org.owner), 0, -1, 999_999_999, 2 ** 53, 1e16];
    await refusedAlike(db, others, (other) => register(other, both));
  });

  it("checks the types of parameters first", async () => {
    const at = (by: typeof gateway, params: Params) => () =>
      by.as(me).call(registerPushDevice, { params });
    const id = await device(db, me);
    for (const server of [gateway, unconfigured]) {
      const missing = { var_name: "device_id" };
      await refused(db, at(server, both), "REQUEST_VARIABLE_MISSING", missing);
      for (const params of [
        { device_id: "x" },
        { device_id: 1.5 },
        { device_id: "true" },
        { device_id: id, push_key_id: "x" },
        { device_id: id, push_key_id: 1.5 },
        { device_id: id, push_key_id: -1 },
        { device_id: id, push_key_id: 4_294_967_296 },
        { device_id: id, token_kind: "FCM" },
        { device_id: id, token_kind: "" },
        { device_id: id, token_kind: "sms" },
      ])
        await refused(db, at(server, { ...both, ...params }), "BAD_REQUEST", {});
    }
  });

  it("reports a missing push service before other checks", async () => {
    const id = await device(db, me);
    for (const params of [both, {}, { ...both, token_id: "?" }, { ...both, push_key: "?" }])
      for (const device_id of [id, 999_999])
        await refused(
          db,
          () => unconfigured.as(me).call(registerPushDevice, { params: { device_id, ...params } }),
          "PUSH_SERVICE_NOT_CONFIGURED",
          {},
        );
  });

  it("requires complete parameter groups, and ignores an incomplete other group", async () => {
    const [key, token] = [pushKey(1), pushToken(1)];
    const without = (name: string) =>
      Object.fromEntries(Object.entries(both).filter(([one]) => one !== name));
    const id = await device(db, me);
    const parts: Params[] = [{}, { push_key: key.push_key }, { push_key_id: 1 }];
    for (const name of Object.keys(token))
      parts.push(
        Object.fromEntries(Object.entries(token).filter(([one]) => one !== name)),
        Object.fromEntries(Object.entries(without(name)).filter(([one]) => one !== "push_key_id")),
      );
    await refusedAlike(db, parts, (params) => register(id, params));

    // A complete token group; the incomplete key group is also invalid.
    const registered = await device(db, me, { active: 9 });
    await accepted(registered, { ...token, push_key: "?" }, [pending(token)]);
    // A complete key group; the incomplete token group is also invalid.
    const other = await device(db, me, { active: 9 });
    const half = {
      ...pushToken(2),
      token_kind: undefined,
      token_id: "?",
      bouncer_public_key: "\0",
    };
    await accepted(other, { ...half, ...pushKey(2, 2) }, [{ push_key_id: 2 }]);
  });

  const badKeys: Readonly<Record<string, string>> = {
    nothing: "",
    "another first byte": Buffer.alloc(33, 0x30).toString("base64"),
    "32 bytes": Buffer.alloc(32, 0x31).toString("base64"),
    "34 bytes": Buffer.alloc(34, 0x31).toString("base64"),
    "the URL-safe alphabet": Buffer.alloc(33, 0xff).fill(0x31, 0, 1).toString("base64url"),
    "a blank": `${pushKey(1).push_key} `,
    "a line break": `${pushKey(1).push_key.slice(0, 20)}\n${pushKey(1).push_key.slice(20)}`,
    "U+0000": `${pushKey(1).push_key.slice(0, -1)}\0`,
    "a megabyte": "MTEx".repeat(260_000),
  };
  const badTokenIds: Readonly<Record<string, string>> = {
    nothing: "",
    "7 bytes": Buffer.alloc(7, 1).toString("base64"),
    "9 bytes": Buffer.alloc(9, 1).toString("base64"),
    "no padding": pushToken(1).token_id.replace("=", ""),
    "the URL-safe alphabet": Buffer.alloc(8, 0xff).toString("base64url").concat("="),
    "bits that mean nothing": "AQEBAQEBAQF=",
    "U+0000": "AQEBAQEBAQ\0=",
  };

  it("refuses an invalid key, alone and with a token", async () => {
    const [fresh, registered] = [await device(db, me), await device(db, me, { active: 9 })];
    for (const push_key of Object.values(badKeys)) {
      const key = { push_key_id: 2, push_key };
      await refused(db, () => register(registered, key));
      for (const id of [fresh, registered])
        await refused(db, () => register(id, { ...pushToken(2), ...key }));
    }
  });

  it("refuses an invalid token ID, alone and with a key", async () => {
    const [fresh, registered] = [await device(db, me), await device(db, me, { active: 9 })];
    for (const token_id of Object.values(badTokenIds))
      for (const id of [fresh, registered])
        for (const key of [{}, pushKey(2, 2), { push_key_id: 2, push_key: "?" }]) {
          const { msg } = await refused(db, () =>
            register(id, { ...pushToken(2), token_id, ...key }),
          );
          expect(msg).to.contain("token_id");
        }
  });

  it("requires both groups for the first registration", async () => {
    const id = await device(db, me);
    for (const params of [pushKey(1), pushToken(1), { ...pushKey(1), push_key: "?" }])
      await refused(db, () => register(id, params));
    const [intent, ...more] = await accepted(id, both, [{ push_key_id: 1, ...pending(both) }]);
    expect(more).to.deep.equal([]);
    const registration = await db.prisma.pushRegistration.findUniqueOrThrow({
      where: { deviceId: id },
    });
    expect(intent?.payload).to.deep.equal({
      deviceId: id,
      registrationId: Number(registration.id),
    });
    expect(registration).to.include({
      bouncerPublicKey: both.bouncer_public_key,
      encryptedRegistration: both.encrypted_push_registration,
    });
    const { pendingPushTokenKind, pushTokenKind } = await row(id);
    expect([pendingPushTokenKind, pushTokenKind]).to.deep.equal(["fcm", null]);
    const { push_token_last_updated_timestamp: at, ...rest } = (await shown(id)) as Params;
    expect(rest).to.deep.equal({
      push_key_id: 1,
      push_token_id: null,
      pending_push_token_id: both.token_id,
      push_registration_error_code: null,
    });
    expect(at).to.be.closeTo(Date.now() / 1_000, 600);
  });

  it("passes any text to the bouncer unchanged, up to the limits", async () => {
    const texts = ["", " a b \n", "ключ 😀", "x".repeat(1_000), "=?/+%00"];
    for (const text of texts) {
      const id = await device(db, me);
      const opaque = { bouncer_public_key: text, encrypted_push_registration: text.repeat(20) };
      expect((await register(id, { ...both, ...opaque })).status).to.equal(200);
      const kept = await db.prisma.pushRegistration.findUniqueOrThrow({ where: { deviceId: id } });
      expect(kept.bouncerPublicKey).to.equal(text);
      expect(kept.encryptedRegistration).to.equal(text.repeat(20));
    }
    const [fresh, active] = [await device(db, me), await device(db, me, { active: 1 })];
    for (const opaque of [
      { bouncer_public_key: "x".repeat(1_001) },
      { encrypted_push_registration: "x".repeat(20_001) },
      { bouncer_public_key: "\0" },
      { encrypted_push_registration: "a\0b" },
    ]) {
      await refused(db, () => register(fresh, { ...both, ...opaque }), "BAD_REQUEST", {});
      // The gateway stores nothing of it.
      expect((await register(active, { ...both, ...opaque })).status).to.equal(200);
    }
  });

  it("accepts key IDs from 0 to 2^32 - 1", async () => {
    for (const push_key_id of [0, 4_294_967_295]) {
      const id = await device(db, me);
      await register(id, { ...both, push_key_id });
      expect(await shown(id)).to.include({ push_key_id });
      const next = 4_294_967_295 - push_key_id;
      await accepted(id, { ...pushKey(next), push_key: both.push_key }, [{ push_key_id: next }]);
    }
  });

  it("replaces a key at once, whatever happens to the token", async () => {
    const states: DeviceContents[] = [
      { active: 1 },
      { pending: 1 },
      { active: 1, pending: 2 },
      { pending: 1, error: "BAD_REQUEST" },
      { key: { id: 1 } },
    ];
    for (const state of states) {
      const id = await device(db, me, state);
      const { pushKey: _, pushKeyId: __, ...before } = await row(id);
      const queued = await accepted(id, pushKey(2, 2), [{ push_key_id: 2 }]);
      // The same key with another ID, and another key with the same ID, are new.
      await accepted(id, pushKey(3, 2), [{ push_key_id: 3 }]);
      await accepted(id, pushKey(3, 3), [{ push_key_id: 3 }]);
      expect(queued).to.deep.equal([]);
      const { pushKey: key, pushKeyId, ...after } = await row(id);
      expect(after).to.deep.equal(before);
      expect([pushKeyId, key?.at(-1)]).to.deep.equal([3n, 3]);
    }
  });

  it("replaces a token and keeps the previous one active", async () => {
    const id = await device(db, me, { active: 1, kind: "fcm" });
    const next = pushToken(2, "apns");
    expect(await accepted(id, next, [pending(next)])).to.have.length(1);
    const { pushTokenId, pushTokenKind, pendingPushTokenKind, pushKeyId } = await row(id);
    expect(pushTokenId?.at(0)).to.equal(1);
    expect([pushTokenKind, pendingPushTokenKind, pushKeyId]).to.deep.equal(["fcm", "apns", 1n]);
  });

  it("refuses token changes while a token is being registered, and accepts a key", async () => {
    const states: DeviceContents[] = [{ pending: 1 }, { active: 1, pending: 2 }];
    for (const state of states) {
      const id = await device(db, me, state);
      const asked = [pushToken(1), pushToken(2), pushToken(3), both, { ...both, token_id: "?" }];
      await refusedAlike(db, asked, (params) => register(id, params));
      await accepted(id, pushKey(7), [{ push_key_id: 7 }]);
    }
  });

  it("retries after a failure, also with the same token", async () => {
    for (const params of [pushToken(1), both]) {
      const ids = [
        await device(db, me, { pending: 1, error: "REQUEST_EXPIRED" }),
        await device(db, me, { active: 1, pending: 2, error: "BAD_REQUEST" }),
      ];
      for (const id of ids) {
        const key = "push_key_id" in params ? { push_key_id: 1 } : {};
        const [first] = await accepted(id, params, [{ ...key, ...pending(params) }]);
        expect((await row(id)).pushRegistrationErrorCode).to.equal(null);
        // The previous request is deleted, and its job finds nothing.
        await db.prisma.clientDevice.update({
          where: { id },
          data: { pushRegistrationErrorCode: "REQUEST_EXPIRED" },
        });
        const [second] = await accepted(id, pushToken(3), [pending(pushToken(3))]);
        expect(second?.payload).not.to.deep.equal(first?.payload);
        const kept = await db.prisma.pushRegistration.findMany({ where: { deviceId: id } });
        expect(kept.map(({ encryptedRegistration }) => encryptedRegistration)).to.deep.equal([
          "sealed 3",
        ]);
      }
    }
  });

  it("does nothing if the values are already registered", async () => {
    const id = await device(db, me, { active: 1 });
    for (const params of [pushKey(1), pushToken(1), pushToken(1, "apns"), both]) {
      const { tables } = await changesOf(db, async () =>
        expect((await register(id, params)).body).to.deep.equal({ result: "success", msg: "" }),
      );
      expect(tables).to.deep.equal([]);
    }
  });

  it("treats both groups as new if one value differs", async () => {
    const other: Params[] = [
      { ...both, push_key_id: 2 },
      { ...both, push_key: pushKey(1, 2).push_key },
      { ...both, token_kind: "apns" },
      { ...both, token_id: pushToken(2).token_id },
    ];
    for (const params of other) {
      const id = await device(db, me, { active: 1 });
      const token_id = String(params["token_id"]);
      const event = { push_key_id: params["push_key_id"], ...pending({ token_id }) };
      expect(await accepted(id, params, [event])).to.have.length(1);
    }
  });

  it("registers a token again that the bouncer has reported as expired", async () => {
    for (const params of [pushToken(1), both]) {
      const id = await device(db, me, { key: { id: 1 } });
      expect((await register(id, params)).status).to.equal(200);
      expect(await shown(id)).to.include({ pending_push_token_id: both.token_id });
    }
  });

  it("keeps keys, tokens and encrypted data out of logs, jobs and responses", async () => {
    const id = await device(db, me);
    await register(id, both);
    await refused(db, () => register(id, { ...both, token_id: "c2VjcmV0" }));
    const jobs = await db.rows<{ text: string }>("SELECT payload::text AS text FROM job_intent");
    const written = `${gateway.logText()}${jobs.map(({ text }) => text).join()}`;
    for (const secret of [both.push_key, both.token_id, "sealed", "c2VjcmV0", "bouncer's key"])
      expect(written).not.to.contain(secret);
  });

  it("runs the same number of statements for any number of devices", async () => {
    const asked = async (by: TestAccount) => {
      const id = await device(db, by);
      const ask = async () =>
        succeededWithoutFields(
          await gateway.as(by).post("/api/v1/mobile_push/register", { device_id: id, ...both }),
        );
      return (await countQueries(db, ask)).count;
    };
    const few = await asked(me);
    const many = await user(db, org.realm);
    for (let n = 0; n < 20; n++) await device(db, many, { active: n });
    expect(await asked(many)).to.equal(few);
  });
});
