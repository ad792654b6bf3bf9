import { createChannel, type ChannelObject, type InputOf } from "@carillon/contract";
import { sendNotice } from "@carillon/jobs";
import {
  channel,
  eventsOf,
  type LoggedEvent,
  noticesTo,
  organization,
  refused,
  type TestAccount,
  type TestOrganization,
  unique,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof createChannel>]?: unknown };

describe("POST /channels/create: events", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const second = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db, { row: { enableSpectatorAccess: true } });
  });

  const create = (params: Params, by: TestAccount = org.member, at = gateway) =>
    at.as(by).call(createChannel, {
      params: { name: unique("room"), subscribers: [], ...params },
    });
  const received = async (params: Params, by: TestAccount = org.member) => {
    const { result, events } = await eventsOf(db, org.realm.id, () => create(params, by));
    expect(result.body.result, result.body.msg).to.equal("success");
    return { id: result.body.id, events };
  };
  const kinds = (events: readonly LoggedEvent[]) =>
    events.map(({ type, op }) => (op ? `${type}/${op}` : type));

  it("of a public channel are sent to all accounts but guests, and first to a subscribed guest", async () => {
    const { id, events } = await received({ subscribers: [org.member.id, org.guest.id] });
    expect(kinds(events).filter((kind) => kind !== "subscription/add")).to.deep.equal([
      "stream/create",
      "stream/create",
      "subscription/peer_add",
      "message",
    ]);
    const [all, guest] = events;
    expect(all?.audience).to.include.members([
      org.owner.id,
      org.admin.id,
      org.moderator.id,
      org.member.id,
      org.bot.id,
    ]);
    expect(all?.audience).not.to.include(org.guest.id);
    expect(all?.audience).not.to.include(org.notificationBot.id);
    const [channel] = (all?.payload["streams"] ?? []) as ChannelObject[];
    expect(channel).to.include({ stream_id: id, stream_weekly_traffic: null });
    expect(guest?.audience).to.deep.equal([org.guest.id]);
    const added = events.filter(({ op }) => op === "add");
    expect(added.flatMap(({ audience }) => audience)).to.have.members([
      org.member.id,
      org.guest.id,
    ]);
    for (const { payload } of added)
      expect((payload["subscriptions"] as unknown[])[0]).to.deep.include({
        stream_id: id,
        subscribers: [org.member.id, org.guest.id].sort((a, b) => a - b),
        subscriber_count: 2,
        is_muted: false,
        in_home_view: true,
        pin_to_top: false,
        push_notifications: null,
      });
    const peers = events.find(({ op }) => op === "peer_add");
    expect(peers?.payload).to.deep.equal({
      stream_ids: [id],
      user_ids: [org.member.id, org.guest.id].sort((a, b) => a - b),
    });
    expect(peers?.audience).to.include(org.admin.id);
    expect(peers?.audience).not.to.include(org.member.id);
    expect(peers?.audience).not.to.include(org.guest.id);
  });

  it("of a private channel are sent to subscribers, administrators and members of its permission groups", async () => {
    const helper = await user(db, org.realm);
    const { events } = await received({
      invite_only: true,
      subscribers: [org.guest.id, org.admin.id],
      can_subscribe_group: { direct_members: [helper.id, org.guest.id], direct_subgroups: [] },
    });
    const [first, second] = events;
    expect(first?.audience).to.have.members([org.owner.id, org.admin.id, org.member.id, helper.id]);
    expect(kinds(events).slice(0, 2)).to.deep.equal(["stream/create", "stream/create"]);
    expect(second?.audience).to.deep.equal([org.guest.id]);
    const peers = events.find(({ op }) => op === "peer_add");
    expect(peers?.audience).to.have.members([org.owner.id, org.member.id, helper.id]);
    const notice = events.at(-1);
    expect(notice?.type).to.equal("message");
    expect(notice?.audience).to.have.members([org.guest.id, org.admin.id]);
  });

  it("of a web-public channel are sent to all accounts", async () => {
    const { events } = await received({ is_web_public: true }, org.owner);
    expect(events[0]?.audience).to.include.members([org.guest.id, org.member.id]);
  });

  it("of a new default channel are sent to all accounts but guests", async () => {
    const { id, events } = await received({ is_default_stream: true }, org.admin);
    const event = events.find(({ type }) => type === "default_streams");
    expect(event?.payload["default_streams"]).to.include(id);
    expect(event?.audience).to.include(org.member.id).and.not.include(org.guest.id);
  });

  it("of concurrently created default channels contain the full list", async () => {
    const { events } = await eventsOf(db, org.realm.id, () =>
      Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          create({ is_default_stream: true }, org.admin, i % 2 === 0 ? gateway : second),
        ),
      ),
    );
    const lists = events
      .filter(({ type }) => type === "default_streams")
      .map(({ payload }) => payload["default_streams"] as number[]);
    expect(lists).to.have.length(6);
    for (const [i, list] of lists.entries())
      expect(list).to.have.length((lists[0]?.length ?? 0) + i);
    const rows = await db.prisma.defaultChannel.findMany({ orderBy: { channelId: "asc" } });
    expect(lists.at(-1)).to.deep.equal(rows.map(({ channelId }) => channelId));
  });

  it("include no direct messages about subscriptions, whatever the parameters", async () => {
    const person = await user(db, org.realm);
    for (const send_new_subscription_messages of [true, false])
      await received({ subscribers: [person.id], send_new_subscription_messages });
    const intents = await db.rows("SELECT FROM job_intent WHERE job = $1", [sendNotice.name]);
    expect(intents).to.deep.equal([]);
    expect(await noticesTo(gateway.as(person), org.notificationBot)).to.deep.equal([]);
  });

  it("are not sent for a refused channel", async () => {
    const taken = await channel(db, org.realm);
    const { events } = await eventsOf(db, org.realm.id, () =>
      refused(
        db,
        () => create({ name: taken.name, subscribers: [org.member.id], announce: true }),
        "CHANNEL_ALREADY_EXISTS",
        {},
        409,
      ),
    );
    expect(events).to.deep.equal([]);
  });
});
