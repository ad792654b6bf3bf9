import { register, updateSettings } from "@carillon/contract";
import {
  lastEventSeq,
  organization,
  refusedWith,
  useDatabase,
  useGateway,
  useBlocker,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

// events.md §1, §6.
describe("POST /register during changes of the account", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let reader: TestAccount;
  beforeEach(async () => {
    org = await organization(db);
    reader = org.member;
  });

  const registering = () =>
    gateway.as(reader).call(register, { params: { fetch_event_types: [] } });

  it("succeeds while other clients change the account's settings", async () => {
    const statuses = { register: [] as number[], settings: [] as number[] };
    let going = true;
    const change = async (name: string) => {
      for (let n = 0; going; n++) {
        const params = { [name]: n % 2 === 0 };
        const { status } = await gateway.as(reader).call(updateSettings, { params });
        statuses.settings.push(status);
      }
    };
    const registerOften = async () => {
      const params = { fetch_event_types: ["realm_user", "user_settings", "subscription"] };
      for (let n = 0; n < 10; n++)
        statuses.register.push((await gateway.as(reader).call(register, { params })).status);
    };
    const changes = [change("twenty_four_hour_time"), change("enable_sounds")];
    await Promise.all([registerOften(), registerOften(), registerOften()]);
    going = false;
    await Promise.all(changes);
    expect([...new Set(statuses.register)]).to.deep.equal([200]);
    expect([...new Set(statuses.settings)]).to.deep.equal([200]);
  });

  describe("between the snapshot and the queue", () => {
    const blocker = useBlocker(db);
    /** Registers, and returns after the snapshot has been read. */
    const untilInserting = async () => {
      await blocker.lock("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE", [reader.id]);
      const answer = registering();
      await blocker.untilWaiting(1, "the registration waits for the account");
      return { answer };
    };
    const deactivation = "UPDATE users SET is_active = false, deactivated_at = now() WHERE id = $1";

    it("is refused if the account is deactivated, and leaves no queue", async () => {
      const { answer } = await untilInserting();
      await blocker.lock(deactivation, [reader.id]);
      await blocker.lock("COMMIT");
      refusedWith(await answer, "UNAUTHORIZED");
      expect(await db.prisma.eventQueue.count({ where: { userId: reader.id } })).to.equal(0);
    });

    it("starts after the reactivation if the account is deactivated and reactivated", async () => {
      const before = await lastEventSeq(db, org.realm.id);
      const { answer } = await untilInserting();
      await blocker.lock(deactivation, [reader.id]);
      await blocker.lock("UPDATE event_head SET seq = seq + 3 WHERE realm_id = $1", [org.realm.id]);
      await blocker.lock("UPDATE users SET is_active = true WHERE id = $1", [reader.id]);
      await blocker.lock("COMMIT");
      const { status, body } = await answer;
      expect(status).to.equal(200);
      expect(body.last_event_id).to.equal((before + 3) * 1_024);
      expect(await db.prisma.eventQueue.count({ where: { userId: reader.id } })).to.equal(1);
    });
  });
});
