import { createHash } from "node:crypto";
import { registerPushDevice, removeClientDevice } from "@carillon/contract";
import { registerPushToken, type IntentRef } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { bouncerClient, type BouncerClient } from "@carillon/push";
import {
  answers,
  changesOf,
  countQueries,
  device,
  drops,
  garbage,
  holding,
  killedAfter,
  organization,
  pushToken,
  refuses,
  runJob,
  useDatabase,
  useFakeBouncer,
  useGateway,
  user,
  waitFor,
  watch,
  type BouncerFault,
  type LogLine,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { guardBouncer } from "../bouncer.ts";

// push.md §3
describe("The job register-push-token", () => {
  const db = useDatabase();
  const gateway = useGateway(db, { site: { pushConfigured: true } });
  const server = useFakeBouncer();
  let client: BouncerClient;
  let org: TestOrganization;
  let me: TestAccount;
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    me = await user(db, org.realm);
    client = bouncerClient(server.config, "12.0");
    await db.rows("UPDATE bouncer_circuit SET failures = 0, pauses = 0, no_calls_until = NULL");
  });
  afterEach(() => client.close());

  interface Registering {
    readonly deviceId: number;
    readonly ref: IntentRef;
    readonly token: ReturnType<typeof pushToken>;
  }

  /** A device that has an active token, made of the byte 1, and registers another. */
  async function registering(fill = 2, kind: "fcm" | "apns" = "apns"): Promise<Registering> {
    return again(await device(db, me, { key: { id: 5 }, active: 1 }), fill, kind);
  }

  async function again(deviceId: number, fill = 3, kind: "fcm" | "apns" = "fcm") {
    const token = pushToken(fill, kind);
    await gateway.as(me).succeed(registerPushDevice, { params: { device_id: deviceId, ...token } });
    const [intent] = await db.rows<{ intentId: number; version: number }>(
      `SELECT id AS "intentId", version FROM job_intent WHERE job = 'register-push-token' ORDER BY id DESC LIMIT 1`,
    );
    if (!intent) throw new Error("no intent was recorded");
    return { deviceId, token, ref: intent };
  }

  const run = (ref: IntentRef, by = db) =>
    runJob(by, registerPushToken, ref, {
      services: { bouncer: guardBouncer(client, { db: by, queues, log: silentLogger }) },
    });
  const queues = { pauseFor: async () => {} };
  const failing = (ref: IntentRef) =>
    run(ref).then(
      () => {
        throw new Error("it did not fail");
      },
      (error: Error) => error,
    );
  const row = async (id: number) => {
    const found = await db.prisma.clientDevice.findUniqueOrThrow({ where: { id } });
    const base64 = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString("base64");
    return {
      active: base64(found.pushTokenId),
      kind: found.pushTokenKind,
      pending: base64(found.pendingPushTokenId),
      error: found.pushRegistrationErrorCode,
    };
  };
  const intent = async ({ intentId }: IntentRef) => {
    const { state, lastError } = await db.prisma.jobIntent.findUniqueOrThrow({
      where: { id: intentId },
    });
    return { state, lastError };
  };
  const left = async (deviceId: number) =>
    (await db.rows("SELECT FROM push_registrations WHERE device_id = $1", [deviceId])).length;
  const first = pushToken(1).token_id;
  /** What the owner's clients are told, and nobody else's. */
  const received = async (work: () => Promise<unknown>) => {
    const events = await watch(
      gateway,
      { own: { account: me }, other: { account: org.owner } },
      work,
    );
    expect(events.other).to.deep.equal([]);
    return events.own.map(({ id: _id, ...event }) => event);
  };

  it("sends the device's registration to the bouncer, and notifies the owner that its token is active", async () => {
    const { deviceId, token, ref } = await registering();
    const events = await received(() => run(ref));
    expect(events).to.deep.equal([
      {
        type: "device",
        op: "update",
        device_id: deviceId,
        push_token_id: token.token_id,
        pending_push_token_id: null,
      },
    ]);
    expect(await row(deviceId)).to.deep.equal({
      active: token.token_id,
      kind: "apns",
      pending: null,
      error: null,
    });
    const { uuid } = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
    expect(Object.fromEntries(server.registered.get(token.token_id) ?? [])).to.deep.equal({
      realm_uuid: uuid,
      token_id: token.token_id,
      encrypted_push_registration: token.encrypted_push_registration,
      bouncer_public_key: token.bouncer_public_key,
    });
    expect(await left(deviceId)).to.equal(0);
    expect(await intent(ref)).to.deep.equal({ state: "done", lastError: null });
  });

  it("has no effect when it runs again", async () => {
    const { ref } = await registering();
    await run(ref);
    const { tables } = await changesOf(db, () => run(ref));
    expect(tables).to.deep.equal([]);
    expect(server.calls).to.have.length(1);
  });

  for (const [fault, code] of [
    [refuses(400, "INVALID_BOUNCER_PUBLIC_KEY"), "INVALID_BOUNCER_PUBLIC_KEY"],
    [refuses(400, "REQUEST_EXPIRED"), "REQUEST_EXPIRED"],
    [refuses(400, "BAD_REQUEST"), "BAD_REQUEST"],
    [refuses(400, "SOMETHING_ELSE"), "BAD_REQUEST"],
    [answers({ status: 404, text: "<h1>Not here</h1>" }), "BAD_REQUEST"],
  ] as const)
    it(`stores ${code} permanently, keeps the previous token, and lets the device try again`, async () => {
      const { deviceId, token, ref } = await registering();
      server.behave({ fault });
      const events = await received(() => run(ref));
      expect(events).to.deep.equal([
        { type: "device", op: "update", device_id: deviceId, push_registration_error_code: code },
      ]);
      expect(await row(deviceId)).to.deep.equal({
        active: first,
        kind: "fcm",
        pending: token.token_id,
        error: code,
      });
      expect(await intent(ref)).to.deep.equal({ state: "done", lastError: null });
      expect(await left(deviceId)).to.equal(0);
      server.behave({});
      const next = await again(deviceId);
      await run(next.ref);
      expect(await row(deviceId)).to.include({ active: next.token.token_id, error: null });
    });

  const operators = (lines: readonly LogLine[]) =>
    lines.filter(({ level }) => level >= 50).map(({ msg }) => msg);

  it("logs an expired request for the operator", async () => {
    const { ref } = await registering();
    server.behave({ fault: refuses(400, "REQUEST_EXPIRED") });
    const { logLines } = await run(ref);
    expect(operators(logLines)).to.deep.equal([
      "the push bouncer rejected a registration as too old",
    ]);
  });

  const retried: Array<[string, BouncerFault]> = [
    ["a connection that ends", drops],
    ["a server error", answers({ status: 500 })],
    ["a gateway that finds nobody", answers({ status: 503, text: "" })],
    ["what is no HTTP", garbage],
    ["a page in place of an answer", answers({ text: "<html>" })],
    ["MISSING_REMOTE_REALM", refuses(403, "MISSING_REMOTE_REALM")],
    ["INVALID_ZULIP_SERVER", refuses(403, "INVALID_ZULIP_SERVER")],
    ["PUSH_NOTIFICATIONS_DISALLOWED", refuses(403, "PUSH_NOTIFICATIONS_DISALLOWED")],
    ["a redirection", answers({ status: 302, headers: { location: "/" } })],
  ];
  for (const [what, fault] of retried)
    it(`notifies no client after ${what}, and is retried`, async () => {
      const { deviceId, token, ref } = await registering();
      server.behave({ fault });
      const before = await row(deviceId);
      expect(before).to.include({ active: first, pending: token.token_id, error: null });
      const events = await received(() => failing(ref));
      expect(events).to.deep.equal([]);
      expect(await row(deviceId)).to.deep.equal(before);
      expect((await intent(ref)).state).to.equal("pending");
      server.behave({});
      await run(ref);
      expect(await row(deviceId)).to.include({ active: token.token_id, pending: null });
    });

  it("costs no attempt when the bouncer's rate limit is reached", async () => {
    const { ref } = await registering();
    server.behave({ fault: answers({ status: 429, headers: { "retry-after": "3" } }) });
    expect((await failing(ref)).name).to.equal("HandBack");
    const { attempts, lastError } = await db.prisma.jobIntent.findUniqueOrThrow({
      where: { id: ref.intentId },
    });
    expect({ attempts, lastError }).to.deep.equal({ attempts: 0, lastError: null });
  });

  it("waits while no service is configured, and logs that", async () => {
    const { ref } = await registering();
    const error = await runJob(db, registerPushToken, ref).catch((caught: Error) => caught);
    expect(error).to.be.instanceOf(Error).with.property("message", "no push bouncer is configured");
    expect((await intent(ref)).state).to.equal("pending");
  });

  const dayLater = (deviceId: number) =>
    db.rows(
      "UPDATE client_devices SET push_token_last_updated = now() - interval '24 h' WHERE id = $1",
      [deviceId],
    );

  it("gives up 24 hours after the row's creation, even if attempts are left, and logs that for the operator", async () => {
    const { deviceId, token, ref } = await registering();
    await dayLater(deviceId);
    let logLines: readonly LogLine[] = [];
    const events = await received(async () => ({ logLines } = await run(ref)));
    expect(server.calls).to.deep.equal([]);
    expect(events.map((event) => event["push_registration_error_code"])).to.deep.equal([
      "REQUEST_EXPIRED",
    ]);
    expect(await row(deviceId)).to.deep.equal({
      active: first,
      kind: "fcm",
      pending: token.token_id,
      error: "REQUEST_EXPIRED",
    });
    expect(operators(logLines)).to.have.length(1);
  });

  it("also gives up when no service is configured", async () => {
    const { deviceId, ref } = await registering();
    await dayLater(deviceId);
    await runJob(db, registerPushToken, ref);
    expect(await row(deviceId)).to.include({ error: "REQUEST_EXPIRED" });
  });

  it("has attempts for more than the 24 hours, the first of them within 5 s", () => {
    const { attempts, firstMs, capMs, jitter } = registerPushToken.retry;
    expect(firstMs).to.be.at.most(5_000);
    expect(capMs).to.equal(600_000);
    expect(attempts * capMs * (1 - jitter)).to.be.above(24 * 3_600_000);
  });

  describe("discards the bouncer's answer", () => {
    /** While the bouncer decides, something else happens. */
    async function meanwhile(work: (given: Registering) => Promise<unknown>) {
      const given = await registering();
      server.behave({
        fault: async (_call, { accept }) => {
          await work(given);
          return accept();
        },
      });
      const { tables } = await changesOf(db, async () => {
        await run(given.ref);
      });
      server.behave({});
      return { ...given, tables };
    }

    it("about a device that was removed meanwhile", async () => {
      const { deviceId, ref } = await meanwhile((given) =>
        gateway.as(me).succeed(removeClientDevice, { params: { device_id: given.deviceId } }),
      );
      expect(await db.prisma.clientDevice.count({ where: { id: deviceId } })).to.equal(0);
      expect(await intent(ref)).to.deep.equal({ state: "done", lastError: null });
    });

    it("about a token that is no longer the pending one", async () => {
      let next: Registering | undefined;
      const { deviceId } = await meanwhile(async (given) => {
        await db.rows(
          "UPDATE client_devices SET push_registration_error_code = 'BAD_REQUEST' WHERE id = $1",
          [given.deviceId],
        );
        next = await again(given.deviceId, 9);
      });
      expect(await row(deviceId)).to.deep.equal({
        active: first,
        kind: "fcm",
        pending: next?.token.token_id,
        error: null,
      });
      expect(await left(deviceId)).to.equal(1);
      if (next) await run(next.ref);
      expect(await row(deviceId)).to.include({ active: next?.token.token_id, pending: null });
    });

    it("about a token that the device has registered again", async () => {
      const { deviceId } = await meanwhile(async (given) => {
        await db.rows(
          "UPDATE client_devices SET push_registration_error_code = 'BAD_REQUEST' WHERE id = $1",
          [given.deviceId],
        );
        await again(given.deviceId, 2, "apns");
      });
      expect(await row(deviceId)).to.include({ active: first, error: null });
      expect(await left(deviceId)).to.equal(1);
    });

    it("in a frozen worker whose call another worker has repeated", async () => {
      const { deviceId, token, ref } = await registering();
      const held = holding();
      server.behave({ fault: held.fault });
      const events = await received(async () => {
        const frozen = run(ref);
        await waitFor(() => server.calls.length === 1, { what: "the first one calls" });
        server.behave({});
        await run(ref);
        held.release();
        await frozen;
      });
      expect(events).to.have.length(1);
      expect(server.calls).to.have.length(2);
      expect(await row(deviceId)).to.include({ active: token.token_id, pending: null });
    });

    it("when an operator has replayed the intent meanwhile: the new run decides", async () => {
      const { deviceId, ref } = await meanwhile((given) =>
        db.rows("UPDATE job_intent SET version = version + 1 WHERE id = $1", [given.ref.intentId]),
      );
      expect(await row(deviceId)).to.include({ active: first });
      await run({ ...ref, version: ref.version + 1 });
      expect(await row(deviceId)).to.include({ pending: null });
    });
  });

  it("does not call for a removed device, nor for another organization's", async () => {
    const gone = await registering();
    await gateway.as(me).succeed(removeClientDevice, { params: { device_id: gone.deviceId } });
    await run(gone.ref);
    const foreign = await registering();
    const other = await organization(db);
    await db.rows("UPDATE job_intent SET realm_id = $1 WHERE id = $2", [
      other.realm.id,
      foreign.ref.intentId,
    ]);
    await run(foreign.ref);
    expect(server.calls).to.deep.equal([]);
    expect(await row(foreign.deviceId)).to.include({ active: first });
  });

  it("repeats the call when the worker died before it stored the answer, with the same result", async () => {
    const { deviceId, token, ref } = await registering();
    let deaths = 0;
    for (
      let statements = 0;
      await killedAfter(db, statements, (other) => run(ref, other));
      statements++
    )
      deaths++;
    expect(deaths).to.be.greaterThan(5);
    expect(server.calls.length).to.be.greaterThan(1);
    expect(await row(deviceId)).to.include({ active: token.token_id, pending: null });
    expect(await left(deviceId)).to.equal(0);
  });

  it("removes the older token of the same phone, and no other one (push.md §3)", async () => {
    const text = "Legacy Token Ü";
    const digest = createHash("sha256").update(text).digest();
    const others = [
      { userId: me.id, token: "another", kind: "fcm" },
      { userId: org.owner.id, token: text, kind: "fcm" },
    ];
    for (const one of [{ userId: me.id, token: text, kind: "fcm" }, ...others])
      await db.prisma.legacyPushToken.create({
        data: { ...one, tokenDigest: createHash("sha256").update(one.token).digest() },
      });
    const given = await registering();
    await db.rows("UPDATE client_devices SET pending_push_token_id = $2 WHERE id = $1", [
      given.deviceId,
      digest.subarray(0, 8),
    ]);
    const tokens = () =>
      db.prisma.legacyPushToken.findMany({
        select: { userId: true, token: true, kind: true },
        orderBy: { id: "asc" },
      });
    server.behave({ fault: refuses(400, "BAD_REQUEST") });
    const failed = await registering();
    await run(failed.ref);
    expect(await tokens()).to.have.length(3);
    server.behave({});
    await run(given.ref);
    expect(await tokens()).to.deep.equal(others);
  });

  it("runs the same statements for any number of devices", async () => {
    const small = await registering();
    const before = await countQueries(db, () => run(small.ref));
    for (let i = 0; i < 50; i++) await device(db, me, { pending: 7 });
    const large = await registering();
    const after = await countQueries(db, () => run(large.ref));
    expect(after.count).to.equal(before.count);
  });

  it("leaves no key, token or text of the device in logs, jobs, intents and errors", async () => {
    const { token, ref } = await registering();
    const said: string[] = [];
    for (const [, fault] of [...retried, ["refused", refuses(400, "BAD_REQUEST")] as const]) {
      server.behave({ fault });
      const ran = await run(ref).catch((error: Error) => error);
      said.push(ran instanceof Error ? `${ran.stack}` : JSON.stringify(ran));
    }
    const rows = await db.rows("SELECT * FROM job_intent");
    const text = said.join() + JSON.stringify(rows) + gateway.logText();
    for (const secret of [
      token.token_id,
      token.bouncer_public_key,
      token.encrypted_push_registration,
      server.config.serverKey,
    ])
      expect(text).not.to.include(secret);
  });
});
