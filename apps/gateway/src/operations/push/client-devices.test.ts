import {
  getOwnUser,
  maxDevices,
  registerClientDevice,
  removeClientDevice,
} from "@carillon/contract";
import {
  countQueries,
  device,
  eventsOf,
  kindsOf,
  organization,
  pushToken,
  refused,
  refusedAlike,
  refusedWith,
  snapshotOf,
  startGateway,
  useBlocker,
  user,
  useScene,
  watch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

// push.md §5
describe("Devices", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let me: TestAccount;
  beforeEach(async () => {
    me = await user(scene.db, scene.org.realm);
  });

  const create = async (by = me) => (await scene.as(by).succeed(registerClientDevice)).device_id;
  const remove = (device_id: unknown, by = me) =>
    scene.as(by).call(removeClientDevice, { params: { device_id } });
  const listed = async (by = me) =>
    (await snapshotOf(scene.as(by), ["device"]))["devices"] as Record<string, object>;
  const nothingYet = {
    push_key_id: null,
    push_token_id: null,
    pending_push_token_id: null,
    push_token_last_updated_timestamp: null,
    push_registration_error_code: null,
  };

  it("allow people, including guests", async () => {
    const { bot, guest } = scene.org;
    for (const operation of [registerClientDevice, removeClientDevice])
      await refused(scene.db, () => scene.as(bot).call(operation, { params: { device_id: 1 } }));
    expect(await remove(await create(guest), guest)).to.include({ status: 200 });
  });

  it("are created by each request, without a push service, and listed with all fields", async () => {
    const ids = [await create(), await create()];
    expect(new Set(ids).size).to.equal(2);
    const [first = "", second = ""] = ids.map(String);
    expect(await listed()).to.deep.equal({ [first]: nothingYet, [second]: nothingYet });
    expect(await listed(scene.org.owner)).to.deep.equal({});
    expect(await snapshotOf(scene.as(scene.org.bot), ["device"])).to.deep.include({ devices: {} });
  });

  it("are listed with their registration, and with token IDs as sent", async () => {
    const id = await device(scene.db, me, {
      key: { id: 4_294_967_295 },
      active: 0xff,
      pending: 0xfb,
      error: "REQUEST_EXPIRED",
    });
    const { push_token_last_updated_timestamp: at, ...entry } = (await listed())[id] as Record<
      string,
      unknown
    >;
    expect(at).to.be.closeTo(Date.now() / 1_000, 600);
    expect(Number.isInteger(at)).to.equal(true);
    expect(entry).to.deep.equal({
      push_key_id: 4_294_967_295,
      push_token_id: pushToken(0xff).token_id,
      pending_push_token_id: pushToken(0xfb).token_id,
      push_registration_error_code: "REQUEST_EXPIRED",
    });
  });

  it("are in the snapshot if requested", async () => {
    const id = await create();
    expect((await snapshotOf(scene.as(me)))["devices"]).to.have.property(String(id));
    expect(await snapshotOf(scene.as(me), ["message"])).not.to.have.property("devices");
  });

  it("of other accounts are unknown", async () => {
    const theirs = await create(scene.org.member);
    const elsewhere = await create((await organization(scene.db)).owner);
    const gone = await create();
    await remove(gone);
    const others = [theirs, elsewhere, gone, 0, -5, 2 ** 31, 2 ** 53, 1e16];
    await refusedAlike(scene.db, others, (id) => remove(id));
    for (const id of ["x", 1.5, "", true])
      await refused(scene.db, () => remove(id), "BAD_REQUEST", {});
    const missing = { var_name: "device_id" };
    await refused(scene.db, () => remove(undefined), "REQUEST_VARIABLE_MISSING", missing);
  });

  it("are sent to the account alone", async () => {
    const { owner } = scene.org;
    let id = 0;
    const queues = { own: { account: me }, other: { account: owner } };
    const received = await watch(scene.gateway, queues, async () => {
      id = await create();
      await remove(id);
      await remove(id);
    });
    expect(received.own.map(({ id: _id, ...event }) => event)).to.deep.equal([
      { type: "device", op: "add", device_id: id },
      { type: "device", op: "remove", device_id: id },
    ]);
    expect(received.other).to.deep.equal([]);
  });

  it("are deleted with their pending registration", async () => {
    const id = await device(scene.db, me, { pending: 1 });
    await scene.db.prisma.pushRegistration.create({
      data: { deviceId: id, bouncerPublicKey: "", encryptedRegistration: "" },
    });
    await remove(id);
    expect(await scene.db.prisma.pushRegistration.count()).to.equal(0);
  });

  it("are limited: devices without a registration are deleted first, then those with the oldest token", async () => {
    const token = await device(scene.db, me, { active: 1 });
    const older = await device(scene.db, me, { active: 2 });
    await scene.db.prisma.clientDevice.update({
      where: { id: older },
      data: { pushTokenLastUpdated: new Date(0) },
    });
    await scene.db.rows(
      "INSERT INTO client_devices (user_id) SELECT $1 FROM generate_series(1, $2)",
      [me.id, maxDevices - 2],
    );
    const ids = Object.keys(await listed()).map(Number);
    const [, , oldest, next] = ids;
    const queues = { own: { account: me } };
    const received = await watch(scene.gateway, queues, async () => {
      const made = await create();
      expect(Object.keys(await listed()).map(Number)).to.have.members([
        ...ids.filter((id) => id !== oldest),
        made,
      ]);
    });
    expect(kindsOf(received.own)).to.deep.equal(["device/remove", "device/add"]);
    expect(received.own[0]?.["device_id"]).to.equal(oldest);

    await create();
    expect(await listed()).not.to.have.property(String(next));
    // All devices have a token.
    await scene.db.rows(
      `UPDATE client_devices SET push_token_last_updated = now(), push_key = $2, push_key_id = 1
       WHERE user_id = $1 AND push_key_id IS NULL`,
      [me.id, Buffer.alloc(33, 0x31)],
    );
    await create();
    expect(await listed()).not.to.have.property(String(older));
    expect(await listed()).to.have.property(String(token));
    // Devices from before the limit.
    await scene.db.rows(
      "INSERT INTO client_devices (user_id) SELECT $1 FROM generate_series(1, 5)",
      [me.id],
    );
    const last = await create();
    expect(Object.keys(await listed()))
      .to.have.length(maxDevices)
      .and.include(String(last));
  });

  it("stay within the limit when two gateways create them at once", async () => {
    await scene.db.rows(
      "INSERT INTO client_devices (user_id) SELECT $1 FROM generate_series(1, $2)",
      [me.id, maxDevices - 1],
    );
    const other = await startGateway(scene.db);
    try {
      // The first request of a person at a gateway records the visit, for which the others wait.
      for (const gateway of [scene.gateway, other]) await gateway.as(me).succeed(getOwnUser);
      await blocker.lock("SELECT FROM users WHERE id = $1 FOR UPDATE", [me.id]);
      const asked = [scene.gateway, other].flatMap((gateway) =>
        [1, 2].map(() => gateway.as(me).succeed(registerClientDevice)),
      );
      await blocker.untilWaiting(4, "all wait for the account");
      await blocker.release();
      const made = (await Promise.all(asked)).map(({ device_id }) => String(device_id));
      expect(Object.keys(await listed()))
        .to.have.length(maxDevices)
        .and.include.members(made);
    } finally {
      await other.close();
    }
  });

  it("are not created for an account that is deactivated meanwhile", async () => {
    await blocker.lock("SELECT FROM users WHERE id = $1 FOR UPDATE", [me.id]);
    await blocker.lock("UPDATE users SET is_active = false WHERE id = $1", [me.id]);
    const asked = scene.as(me).call(registerClientDevice);
    await blocker.untilWaiting(1, "the request waits for the account");
    await blocker.lock("COMMIT");
    refusedWith(await asked, "UNAUTHORIZED");
    expect(await scene.db.prisma.clientDevice.count({ where: { userId: me.id } })).to.equal(0);
  });

  it("take the same number of statements for any number", async () => {
    const count = async () => (await countQueries(scene.db, () => create())).count;
    const few = await count();
    for (let n = 0; n < 20; n++) await device(scene.db, me, { active: n });
    expect(await count()).to.equal(few);
    const removing = async (id: number) => (await countQueries(scene.db, () => remove(id))).count;
    const [first, second] = [await create(), await create()];
    expect(await removing(first)).to.equal(await removing(second));
    const { events } = await eventsOf(scene.db, scene.org.realm.id, () => create());
    expect(events).to.have.length(1);
  });
});
