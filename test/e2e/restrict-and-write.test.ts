import { sendMessage, updateRealm } from "@carillon/contract";
import {
  type TestOrganization,
  type ReceivedEvent,
  countWaiting,
  organization,
  useDatabase,
  useGateway,
  waitFor,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

// users.md §2.1: participants of a conversation are visible from its first message on.
describe("The first direct message to a guest during a restriction of the guest", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  const restricting = ({ owner, groups }: TestOrganization) =>
    gateway.as(owner).succeed(updateRealm, {
      params: { can_access_all_users_group: { new: groups["role:members"] } },
    });
  const writing = ({ member, guest }: TestOrganization) =>
    gateway.as(member).succeed(sendMessage, {
      params: { type: "direct", to: [guest.id], content: "Hi" },
    });
  /** The guest's events about the member. */
  const shiftsOf = ({ member }: TestOrganization, events: readonly ReceivedEvent[]) =>
    events
      .filter(({ type }) => type === "realm_user")
      .filter((event) => (event["person"] as { user_id: number }).user_id === member.id)
      .map(({ op }) => op);

  /** The events of two requests, each started when the previous one waits or has ended, while the lock is held. */
  async function received(
    org: TestOrganization,
    lock: string,
    requests: ReadonlyArray<(org: TestOrganization) => Promise<unknown>>,
  ): Promise<ReceivedEvent[]> {
    const queues = { guest: { account: org.guest } };
    const { guest } = await watch(gateway, queues, async () => {
      const running: Array<Promise<unknown>> = [];
      let ended = 0;
      await db.transaction(async (tx) => {
        await tx.rows(lock);
        for (const request of requests) {
          running.push(request(org).finally(() => ended++));
          await waitFor(async () => (await countWaiting(db.pool)) + ended === running.length, {
            what: "the request waits, or is done",
          });
        }
      });
      await Promise.all(running);
    });
    return guest;
  }

  it("keeps the sender visible if the message was checked first", async () => {
    const org = await organization(db);
    const events = await received(org, "LOCK TABLE recipients IN SHARE MODE", [
      writing,
      restricting,
    ]);
    expect(shiftsOf(org, events)).to.deep.equal([]);
    expect(shiftsOf({ ...org, member: org.admin }, events)).to.deep.equal(["remove"]);
  });

  it("shows the sender again before the message if the permission changed first", async () => {
    const org = await organization(db);
    const events = await received(org, "LOCK TABLE audit_log IN SHARE MODE", [
      restricting,
      writing,
    ]);
    expect(shiftsOf(org, events)).to.be.deep.oneOf([[], ["remove", "add"]]);
    expect(events.filter(({ type }) => type === "message")).to.have.length(1);
  });
});
