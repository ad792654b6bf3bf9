import {
  addFcmToken,
  deactivateOwnUser,
  deactivateUser,
  reactivateUser,
  registerPushDevice,
} from "@carillon/contract";
import {
  countQueries,
  device,
  organization,
  pushKey,
  pushToken,
  refusedWith,
  snapshotOf,
  useDatabase,
  useGateway,
  useBlocker,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

// users.md §4, push.md §5
describe("DELETE /users/{user_id}: devices", () => {
  const db = useDatabase();
  const gateway = useGateway(db, { site: { pushConfigured: true } });
  const blocker = useBlocker(db);
  let org: TestOrganization;
  let me: TestAccount;
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    me = await user(db, org.realm);
  });

  /** A device with a pending registration, and a legacy token. */
  async function furnish(account: TestAccount): Promise<number> {
    const device_id = await device(db, account);
    const params = { device_id, ...pushKey(1), ...pushToken(1) };
    await gateway.as(account).succeed(registerPushDevice, { params });
    await gateway.as(account).succeed(addFcmToken, { params: { token: "token" } });
    return device_id;
  }
  async function left({ id: userId }: TestAccount) {
    const where = { userId };
    return [
      await db.prisma.clientDevice.count({ where }),
      await db.prisma.pushRegistration.count({ where: { device: where } }),
      await db.prisma.legacyPushToken.count({ where }),
    ];
  }
  const deactivate = (account: TestAccount) =>
    gateway.as(org.owner).call(deactivateUser, { path: { user_id: account.id } });

  it("are deleted with the account and not restored with it", async () => {
    await furnish(me);
    await device(db, me, { active: 2 });
    await furnish(org.member);
    expect(await left(me)).to.deep.equal([2, 1, 1]);
    expect((await deactivate(me)).status).to.equal(200);
    expect(await left(me)).to.deep.equal([0, 0, 0]);
    expect(await left(org.member)).to.deep.equal([1, 1, 1]);
    await gateway.as(org.owner).succeed(reactivateUser, { path: { user_id: me.id } });
    expect(await snapshotOf(gateway.as(me), ["device"])).to.deep.include({ devices: {} });
  });

  it("are deleted if the account deactivates itself", async () => {
    await furnish(me);
    await gateway.as(me).succeed(deactivateOwnUser);
    expect(await left(me)).to.deep.equal([0, 0, 0]);
  });

  it("are deleted while one is being registered, in either order", async () => {
    for (const deactivatedFirst of [true, false]) {
      const account = await user(db, org.realm);
      const device_id = await device(db, account, { active: 1 });
      await blocker.lock("BEGIN");
      await blocker.lock("SELECT FROM client_devices WHERE id = $1 FOR UPDATE", [device_id]);
      const params = { device_id, ...pushToken(2) };
      const requests = [
        () => deactivate(account),
        () => gateway.as(account).call(registerPushDevice, { params }),
      ];
      const asked = [];
      for (const [n, ask] of (deactivatedFirst ? requests : requests.toReversed()).entries()) {
        asked.push(ask());
        await blocker.untilWaiting(n + 1, "a request waits for the device");
      }
      await blocker.release();
      const answers = await Promise.all(asked);
      for (const answer of answers.slice(1)) if (deactivatedFirst) refusedWith(answer);
      expect(answers.filter(({ status }) => status === 200)).to.have.length(
        deactivatedFirst ? 1 : 2,
      );
      expect(await left(account)).to.deep.equal([0, 0, 0]);
    }
  });

  it("take the same number of statements for any number", async () => {
    const many = await user(db, org.realm);
    for (let n = 0; n < 20; n++) await device(db, many, { active: n });
    const count = async (account: TestAccount) =>
      (await countQueries(db, () => deactivate(account))).count;
    await furnish(me);
    expect(await count(many)).to.equal(await count(me));
  });
});
