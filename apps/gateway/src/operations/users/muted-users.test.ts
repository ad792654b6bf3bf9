import { muteUser, unmuteUser } from "@carillon/contract";
import { listMutedUsers } from "@carillon/domain";
import {
  eventsOf,
  organization,
  refused,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Muted users", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const change = (operation: typeof muteUser | typeof unmuteUser, by: TestAccount, id: number) =>
    gateway.as(by).succeed(operation, { path: { muted_user_id: id } });
  const mute = (by: TestAccount, id: number) => change(muteUser, by, id);
  const unmute = (by: TestAccount, id: number) => change(unmuteUser, by, id);
  const muted = (account: TestAccount) => listMutedUsers(db, account.id);

  it("are stored, and all of them are sent to the muter alone", async () => {
    const { result, events } = await eventsOf(db, org.realm.id, async () => {
      await mute(org.member, org.guest.id);
      return mute(org.member, org.owner.id);
    });
    expect(result).to.deep.equal({ result: "success", msg: "" });
    const list = await muted(org.member);
    expect(list.map(({ id }) => id)).to.deep.equal([org.guest.id, org.owner.id]);
    expect(events).to.have.length(2);
    for (const [i, event] of events.entries())
      expect(event).to.deep.include({
        type: "muted_users",
        op: null,
        audience: [org.member.id],
        payload: { muted_users: list.slice(0, i + 1) },
      });
    expect(await muted(org.guest)).to.deep.equal([]);
  });

  it("may be bots, deactivated accounts or system bots", async () => {
    const gone = await user(db, org.realm, { isActive: false });
    for (const { id } of [org.bot, gone, org.notificationBot]) await mute(org.member, id);
    expect(await muted(org.member)).to.have.length(3);
  });

  it("are removed, with an event for the muter alone", async () => {
    await mute(org.member, org.guest.id);
    await mute(org.member, org.owner.id);
    const { events } = await eventsOf(db, org.realm.id, () => unmute(org.member, org.guest.id));
    const rest = await muted(org.member);
    expect(rest.map(({ id }) => id)).to.deep.equal([org.owner.id]);
    expect(events).to.have.length(1);
    expect(events[0]).to.deep.include({
      audience: [org.member.id],
      payload: { muted_users: rest },
    });
  });

  it("exclude the caller, already muted and unknown accounts, and those of other organizations", async () => {
    await mute(org.member, org.guest.id);
    const other = await organization(db);
    const asked: Array<[typeof muteUser | typeof unmuteUser, number]> = [
      [muteUser, org.member.id],
      [muteUser, org.guest.id],
      [muteUser, other.member.id],
      [muteUser, 2_000_000_000],
      [muteUser, 0],
      [unmuteUser, org.owner.id],
      [unmuteUser, org.member.id],
      [unmuteUser, other.member.id],
      [unmuteUser, 2_000_000_000],
    ];
    for (const [operation, id] of asked) {
      const path = { muted_user_id: id };
      await refused(db, () => gateway.as(org.member).call(operation, { path }), "BAD_REQUEST");
    }
    expect((await muted(org.member)).map(({ id }) => id)).to.deep.equal([org.guest.id]);
  });

  it("are sent in lists that follow the order of concurrent changes", async () => {
    const accounts = [org.guest, org.owner, org.admin, org.moderator, org.bot];
    const { events } = await eventsOf(db, org.realm.id, () =>
      Promise.all(accounts.map(({ id }) => mute(org.member, id))),
    );
    const sizes = events.map(({ payload }) => (payload["muted_users"] as unknown[]).length);
    expect(sizes).to.deep.equal([1, 2, 3, 4, 5]);
    expect(events.at(-1)?.payload).to.deep.equal({ muted_users: await muted(org.member) });
  });
});
