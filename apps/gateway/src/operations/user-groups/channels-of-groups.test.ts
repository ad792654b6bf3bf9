import { listChannels, updateUserGroupMembers, updateUserGroupSubgroups } from "@carillon/contract";
import {
  anonymousGroup,
  changeChannel,
  channel,
  eventsOf,
  organization,
  useDatabase,
  useGateway,
  user,
  userGroup,
  type LoggedEvent,
  type Params,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Private channels that are visible through user groups", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let group: { id: number };
  let person: TestAccount;
  let other: TestAccount;
  beforeEach(async () => {
    org = await organization(db);
    group = await userGroup(db, org.realm);
    [person, other] = [await user(db, org.realm), await user(db, org.realm)];
  });

  const room = (
    holders: NonNullable<Parameters<typeof channel>[2]>["groups"] = {
      canSubscribeGroupId: group.id,
    },
    subscribers: TestAccount[] = [org.member, org.guest],
  ) => channel(db, org.realm, { inviteOnly: true, subscribers, groups: { ...holders } });
  const seen = async (viewer: TestAccount) => {
    const { streams } = await gateway.as(viewer).succeed(listChannels, {
      params: { include_all: true, exclude_archived: false },
    });
    return streams.map(({ stream_id }) => stream_id);
  };
  /** The channel events of a change. */
  const received = async (work: () => Promise<unknown>) => {
    const { events } = await eventsOf(db, org.realm.id, work);
    return events.filter(({ type }) => type !== "user_group");
  };
  const members = (params: Params, id = group.id) =>
    gateway.as(org.owner).succeed(updateUserGroupMembers, { path: { user_group_id: id }, params });
  const subgroups = (params: Params, id = group.id) =>
    gateway
      .as(org.owner)
      .succeed(updateUserGroupSubgroups, { path: { user_group_id: id }, params });
  const ids = (...accounts: TestAccount[]) =>
    accounts.map(({ id }) => id).toSorted((a, b) => a - b);
  const short = ({ type, op, audience, payload }: LoggedEvent) => {
    const streams = payload["streams"] as Array<{ stream_id: number }> | undefined;
    return [
      `${type}/${op}`,
      audience,
      streams ? streams.map(({ stream_id }) => stream_id) : payload,
    ];
  };
  const shown = (audience: number[], ...channels: TestChannel[]) => [
    "stream/create",
    audience,
    channels.map(({ id }) => id),
  ];
  const peers = (audience: number[], user_ids: number[], ...channels: TestChannel[]) => [
    "subscription/peer_add",
    audience,
    { stream_ids: channels.map(({ id }) => id), user_ids },
  ];
  const gone = (audience: number[], ...channels: TestChannel[]) => [
    "stream/delete",
    audience,
    channels.map(({ id }) => id),
  ];

  for (const setting of [
    "canSubscribeGroupId",
    "canAddSubscribersGroupId",
    "canAdministerChannelGroupId",
  ] as const) {
    it(`are sent to new members and deleted for removed members, by ${setting}`, async () => {
      const secret = await room({ [setting]: group.id });
      expect(await seen(person)).to.deep.equal([]);
      const joined = await received(() => members({ add: [person.id, other.id] }));
      expect(joined.map(short)).to.deep.equal([
        shown(ids(person, other), secret),
        peers(ids(person, other), ids(org.member, org.guest), secret),
      ]);
      expect(await seen(person)).to.deep.equal([secret.id]);
      const objects = joined[0]?.payload["streams"];
      const { streams } = await gateway.as(person).succeed(listChannels, {
        params: { include_all: true },
      });
      // Clients add the subscribers of this event.
      expect(objects).to.deep.equal(streams.map((each) => ({ ...each, subscriber_count: 0 })));
      const left = await received(() => members({ delete: [person.id] }));
      expect(left.map(short)).to.deep.equal([gone([person.id], secret)]);
      expect(left[0]?.payload).to.deep.equal({
        stream_ids: [secret.id],
        streams: [{ stream_id: secret.id }],
      });
      expect(await seen(person)).to.deep.equal([]);
    });
  }

  it("follow subgroups, anonymous groups and containing groups", async () => {
    const outer = await userGroup(db, org.realm, { subgroups: [group.id] });
    const bySet = await room({
      canAdministerChannelGroupId: await anonymousGroup(db, org.realm.id, [], [outer.id]),
    });
    const inner = await userGroup(db, org.realm, { members: [person, org.guest] });
    const around = await userGroup(db, org.realm, { members: [other], subgroups: [inner.id] });
    expect((await received(() => subgroups({ add: [around.id] }))).map(short)).to.deep.equal([
      shown(ids(person, other), bySet),
      peers(ids(person, other), ids(org.member, org.guest), bySet),
    ]);
    expect((await received(() => subgroups({ add: [inner.id] }))).map(short)).to.deep.equal([]);
    expect((await received(() => subgroups({ delete: [around.id] }))).map(short)).to.deep.equal([
      gone([other.id], bySet),
    ]);
    const moved = () => members({ add: [other.id], delete_subgroups: [inner.id] });
    expect((await received(moved)).map(short)).to.deep.equal([
      gone([person.id], bySet),
      shown([other.id], bySet),
      peers([other.id], ids(org.member, org.guest), bySet),
    ]);
    expect(await seen(other)).to.deep.equal([bySet.id]);
    expect(await seen(person)).to.deep.equal([]);
  });

  it("are sent in one event to accounts that see the same channels", async () => {
    const [a, b] = [await room(), await room()];
    const empty = await room({ canSubscribeGroupId: group.id }, []);
    const events = await received(() => members({ add: [person.id] }));
    expect(events.map(short)).to.deep.equal([
      shown([person.id], a, b, empty),
      peers([person.id], ids(org.member, org.guest), a, b),
    ]);
  });

  it("send no events to accounts that see them anyway, or to guests", async () => {
    const other_ = await userGroup(db, org.realm, { members: [org.moderator] });
    await room({ canSubscribeGroupId: group.id, canAddSubscribersGroupId: other_.id });
    const everybody = [org.member, org.guest, org.owner, org.admin, org.moderator];
    const guest = await user(db, org.realm, { role: 600 });
    const all = [...everybody, guest].map(({ id }) => id);
    expect(await received(() => members({ add: all }))).to.deep.equal([]);
    expect(await received(() => members({ delete: all }))).to.deep.equal([]);
    expect(await seen(guest)).to.deep.equal([]);
  });

  it("send events only to accounts that gain or lose sight of them", async () => {
    const [a, b] = [await room(), await room({ canSubscribeGroupId: group.id }, [person])];
    const all = [person, other, org.member, org.guest, org.bot, org.admin];
    expect(
      (await received(() => members({ add: all.map(({ id }) => id) }))).map(short),
    ).to.deep.equal([
      shown(ids(person, other, org.bot), a),
      peers(ids(person, other, org.bot), ids(org.member, org.guest), a),
      shown(ids(other, org.member, org.bot), b),
      peers(ids(other, org.member, org.bot), [person.id], b),
    ]);
    expect(
      (await received(() => members({ delete: ids(person, other) }))).map(short),
    ).to.deep.equal([gone(ids(person, other), a), gone([other.id], b)]);
    expect(await seen(person)).to.deep.equal([b.id]);
  });

  it("exclude public channels, and settings that do not show a channel", async () => {
    await channel(db, org.realm, { groups: { canSubscribeGroupId: group.id } });
    await room({ canSendMessageGroupId: group.id, canRemoveSubscribersGroupId: group.id });
    expect(await received(() => members({ add: [person.id] }))).to.deep.equal([]);
  });

  it("belong to the organization and include archived ones", async () => {
    const secret = await room();
    await changeChannel(db, secret, { isArchived: true });
    const events = await received(() => members({ add: [person.id] }));
    expect(events[0]?.op).to.equal("create");
    expect(await seen(person)).to.deep.equal([secret.id]);
  });
});
