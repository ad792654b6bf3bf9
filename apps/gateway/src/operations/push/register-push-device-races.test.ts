import { registerClientDevice, registerPushDevice, removeClientDevice } from "@carillon/contract";
import {
  device,
  eventsOf,
  organization,
  pushKey,
  pushToken,
  refusedWith,
  useDatabase,
  useGateway,
  useBlocker,
  user,
  type Params,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /mobile_push/register: concurrent requests", () => {
  const db = useDatabase();
  const options = { site: { pushConfigured: true } };
  const gateways = [useGateway(db, options), useGateway(db, options)] as const;
  const blocker = useBlocker(db);
  let org: TestOrganization;
  let me: TestAccount;
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    me = await user(db, org.realm);
  });

  const register = (device_id: number, params: Params, gateway = gateways[0]) =>
    gateway.as(me).call(registerPushDevice, { params: { device_id, ...params } });
  const remove = (device_id: number, gateway = gateways[1]) =>
    gateway.as(me).call(removeClientDevice, { params: { device_id } });
  /** Holds the registration until the blocker is released. */
  const hold = async (id: number) => {
    await blocker.lock("BEGIN");
    await blocker.lock("SELECT FROM client_devices WHERE id = $1 FOR UPDATE", [id]);
  };
  const intentsOf = (id: number) =>
    db.rows(
      "SELECT FROM job_intent WHERE job = 'register-push-token' AND payload->'deviceId' = to_jsonb($1::bigint)",
      [id],
    );
  const statuses = (answers: ReadonlyArray<{ status: number }>) =>
    answers.map(({ status }) => status).sort((a, b) => a - b);

  it("queues one of two tokens, over any gateways", async () => {
    for (const both of [pushKey(1), {}]) {
      const id = await device(db, me, { active: 9 });
      await hold(id);
      const { result: answers, events } = await eventsOf(db, org.realm.id, async () => {
        const asked = gateways.map((gateway, n) =>
          register(id, { ...both, ...pushToken(n + 1) }, gateway),
        );
        await blocker.untilWaiting(2, "both requests wait for the device");
        await blocker.release();
        return Promise.all(asked);
      });
      expect(statuses(answers)).to.deep.equal([200, 400]);
      refusedWith(answers.find(({ status }) => status === 400)!);
      expect(await intentsOf(id)).to.have.length(1);
      expect(events.map(({ type }) => type)).to.deep.equal(["device"]);
      const kept = await db.prisma.clientDevice.findUniqueOrThrow({
        where: { id },
        include: { registration: true },
      });
      // The token ID and the registration belong to the same request.
      const fill = kept.pendingPushTokenId?.at(0);
      expect(kept.registration?.encryptedRegistration).to.equal(`sealed ${fill}`);
    }
  });

  it("queues a repeated request once", async () => {
    const id = await device(db, me);
    const both = { ...pushKey(1), ...pushToken(1) };
    const answers = await Promise.all(
      [...gateways, ...gateways, ...gateways].map((gateway) => register(id, both, gateway)),
    );
    expect(statuses(answers)).to.deep.equal([200, 400, 400, 400, 400, 400]);
    expect(await intentsOf(id)).to.have.length(1);
  });

  it("accepts a key beside a pending token in either order and keeps both", async () => {
    for (const order of [0, 1]) {
      const id = await device(db, me, { active: 9 });
      await hold(id);
      const requests = [
        () => register(id, pushToken(2), gateways[0]),
        () => register(id, pushKey(5, 5), gateways[1]),
      ];
      const asked = [];
      for (const [n, ask] of (order ? requests.toReversed() : requests).entries()) {
        asked.push(ask());
        await blocker.untilWaiting(n + 1, "a request waits for the device");
      }
      await blocker.release();
      expect(statuses(await Promise.all(asked))).to.deep.equal([200, 200]);
      const kept = await db.prisma.clientDevice.findUniqueOrThrow({ where: { id } });
      expect(kept.pushKeyId).to.equal(5n);
      expect([kept.pushTokenId?.at(0), kept.pendingPushTokenId?.at(0)]).to.deep.equal([9, 2]);
    }
  });

  it("leaves nothing of a device that is deleted meanwhile", async () => {
    for (const removedFirst of [true, false]) {
      const id = await device(db, me);
      await hold(id);
      const requests = [() => remove(id), () => register(id, { ...pushKey(1), ...pushToken(1) })];
      const asked = [];
      for (const [n, ask] of (removedFirst ? requests : requests.toReversed()).entries()) {
        asked.push(ask());
        await blocker.untilWaiting(n + 1, "a request waits for the device");
      }
      await blocker.release();
      const answers = await Promise.all(asked);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, removedFirst ? 400 : 200]);
      expect(await db.prisma.clientDevice.count({ where: { id } })).to.equal(0);
      expect(await db.prisma.pushRegistration.count({ where: { deviceId: id } })).to.equal(0);
    }
  });

  it("does not block registrations of other devices", async () => {
    const [held, free] = [await device(db, me, { active: 1 }), await device(db, me)];
    await hold(held);
    const stuck = register(held, pushKey(2));
    await blocker.untilWaiting(1, "the first request waits");
    expect((await register(free, { ...pushKey(1), ...pushToken(1) })).status).to.equal(200);
    const made = await gateways[1].as(me).succeed(registerClientDevice);
    expect((await remove(made.device_id)).status).to.equal(200);
    await blocker.release();
    expect((await stuck).status).to.equal(200);
  });

  it("waits for locks of the account only to create another device", async () => {
    const id = await device(db, me, { active: 1 });
    await blocker.lock("BEGIN");
    await blocker.lock("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE", [me.id]);
    const making = gateways[1].as(me).call(registerClientDevice);
    await blocker.untilWaiting(1, "the new device waits for the account");
    expect((await register(id, pushToken(2))).status).to.equal(200);
    expect((await register(id, pushKey(2))).status).to.equal(200);
    expect((await remove(id)).status).to.equal(200);
    await blocker.release();
    expect((await making).status).to.equal(200);
  });
});
