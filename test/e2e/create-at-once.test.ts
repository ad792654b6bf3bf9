import {
  createChannel,
  deactivateBot,
  deactivateUser,
  deactivateUserGroup,
  updateRealm,
} from "@carillon/contract";
import {
  eventsOf,
  type TestAccount,
  unique,
  useGateway,
  useBlocker,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §4, docs/decisions/012: the second request sees the changes of the first.
describe("Creating a channel while something it refers to is removed", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  const blocker = useBlocker(scene.db);

  const set = (...direct_members: number[]) => ({ direct_members, direct_subgroups: [] });

  /** Blocks the removal at its commit and creates the channel meanwhile. */
  async function createdAfter(
    one: () => Promise<unknown>,
    params: object,
    by: TestAccount = scene.org.member,
  ) {
    const { db, org } = scene;
    const { result, events } = await eventsOf(db, org.realm.id, async () => {
      await blocker.lock("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [org.realm.id]);
      const first = one();
      await blocker.untilWaiting(1, "the one waits for its commit");
      const creation = second.as(by).call(createChannel, {
        params: { name: unique("room"), subscribers: [], ...params },
      });
      await blocker.untilWaiting(2, "the creation waits");
      await blocker.release();
      await first;
      return creation;
    });
    expect(events.filter(({ type }) => type === "stream")).to.deep.equal([]);
    return `${result.status} ${String(result.body["code"])}`;
  }

  const deactivating =
    ({ id }: { id: number }) =>
    () =>
      scene.as(scene.org.owner).succeed(deactivateUser, { path: { user_id: id } });

  it("is refused if the creator is deactivated meanwhile", async () => {
    const person = await user(scene.db, scene.org.realm);
    const answer = await createdAfter(deactivating(person), { invite_only: true }, person);
    expect(answer).to.equal("401 UNAUTHORIZED");
  });

  it("is refused if a permission lists an account deactivated meanwhile", async () => {
    const person = await user(scene.db, scene.org.realm);
    const params = { can_send_message_group: set(person.id, scene.org.member.id) };
    expect(await createdAfter(deactivating(person), params)).to.equal("400 BAD_REQUEST");
  });

  it("is refused if a permission lists a bot deactivated meanwhile", async () => {
    const { bot, owner } = scene.org;
    const params = { can_administer_channel_group: set(bot.id) };
    const deactivation = () => scene.as(owner).succeed(deactivateBot, { path: { bot_id: bot.id } });
    expect(await createdAfter(deactivation, params)).to.equal("400 BAD_REQUEST");
  });

  it("is refused if a subscriber is deactivated meanwhile", async () => {
    const person = await user(scene.db, scene.org.realm);
    const params = { subscribers: [person.id] };
    expect(await createdAfter(deactivating(person), params)).to.equal("400 BAD_REQUEST");
  });

  it("is refused if the group of a permission is deactivated meanwhile", async () => {
    const { db, org } = scene;
    const group = await userGroup(db, org.realm);
    const deactivation = () =>
      scene.as(org.owner).succeed(deactivateUserGroup, { path: { user_group_id: group.id } });
    const params = { can_subscribe_group: group.id };
    expect(await createdAfter(deactivation, params)).to.equal("400 BAD_REQUEST");
  });

  it("is refused if the creator loses the permission to create channels meanwhile", async () => {
    const { org } = scene;
    const change = () =>
      scene.as(org.owner).succeed(updateRealm, {
        params: { can_create_public_channel_group: { new: org.groups["role:moderators"] } },
      });
    expect(await createdAfter(change, {})).to.equal("400 BAD_REQUEST");
  });
});
