import {
  channel,
  crowd,
  organization,
  type Params,
  refused,
  type TestOrganization,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Bounds of one request", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let group = "";
  before(async () => {
    org = await organization(db);
    const { body } = await gateway.as(org.owner).post("/api/v1/user_groups/create", {
      name: "bounded",
      description: "",
      members: [],
    });
    group = `/api/v1/user_groups/${String(body["group_id"])}`;
  });

  const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  const addresses = (count: number) => ids(count).map((id) => `${id}@carillon.test`);
  const names = (count: number, what = "channel") =>
    Array.from({ length: count }, (_, i) => `${what} ${i}`);
  const named = (count: number, what?: string) => names(count, what).map((name) => ({ name }));

  /** @returns the message of the refusal */
  async function refuses(
    method: "get" | "post" | "patch" | "delete",
    path: string,
    params: Params,
  ) {
    const { msg } = await refused(db, () => gateway.as(org.owner)[method](path, params));
    return msg ?? "";
  }

  const mine = "/api/v1/users/me/subscriptions";
  type Request = readonly ["get" | "post" | "patch" | "delete", path: string, params: Params];
  /** Requests that exceed the bound by `more` items. */
  const many: ReadonlyArray<[what: string, bound: string, (more: number) => Request]> = [
    [
      "channels to subscribe to",
      "500 channels",
      (more) => ["post", mine, { subscriptions: named(500 + more) }],
    ],
    [
      "new channels",
      "100 channels",
      (more) => ["post", mine, { subscriptions: named(100 + more) }],
    ],
    [
      "channels to unsubscribe from",
      "500 channels",
      (more) => ["delete", mine, { subscriptions: names(500 + more) }],
    ],
    ["channels to add", "500 channels", (more) => ["patch", mine, { add: named(500 + more) }]],
    [
      "channels to delete",
      "500 channels",
      (more) => ["patch", mine, { delete: names(500 + more) }],
    ],
    [
      "principals",
      "10000 accounts",
      (more) => ["post", mine, { subscriptions: named(1), principals: ids(10_000 + more) }],
    ],
    [
      "addresses",
      "10000 accounts",
      (more) => ["post", mine, { subscriptions: named(1), principals: addresses(10_000 + more) }],
    ],
    [
      "principals to unsubscribe",
      "10000 accounts",
      (more) => ["delete", mine, { subscriptions: names(1), principals: ids(10_000 + more) }],
    ],
    [
      "addresses to unsubscribe",
      "10000 accounts",
      (more) => ["delete", mine, { subscriptions: names(1), principals: addresses(10_000 + more) }],
    ],
    [
      "subscribers of a new channel",
      "10000 accounts",
      (more) => [
        "post",
        "/api/v1/channels/create",
        { name: "new", subscribers: ids(10_000 + more) },
      ],
    ],
    [
      "members of a permission",
      "10000 accounts",
      (more) => [
        "post",
        "/api/v1/channels/create",
        {
          name: "new",
          subscribers: [],
          can_administer_channel_group: {
            direct_members: ids(10_000 + more),
            direct_subgroups: [],
          },
        },
      ],
    ],
    [
      "members of a new group",
      "10000 accounts",
      (more) => [
        "post",
        "/api/v1/user_groups/create",
        {
          name: "new",
          description: "",
          members: ids(10_000 + more),
        },
      ],
    ],
    [
      "members to add",
      "10000 accounts",
      (more) => ["post", `${group}/members`, { add: ids(10_000 + more) }],
    ],
    [
      "members to delete",
      "10000 accounts",
      (more) => ["post", `${group}/members`, { delete: ids(10_000 + more) }],
    ],
    [
      "subgroups",
      "10000 groups",
      (more) => ["post", `${group}/subgroups`, { add: ids(10_000 + more) }],
    ],
    [
      "receivers of a message",
      "10000 accounts",
      (more) => [
        "post",
        "/api/v1/messages",
        { type: "direct", to: ids(10_000 + more), content: "x" },
      ],
    ],
    [
      "messages to flag",
      "5000 messages",
      (more) => [
        "post",
        "/api/v1/messages/flags",
        { messages: ids(5_000 + more), op: "add", flag: "read" },
      ],
    ],
    [
      "addresses of a message",
      "10000 accounts",
      (more) => [
        "post",
        "/api/v1/messages",
        {
          type: "direct",
          to: addresses(10_000 + more).join(","),
          content: "x",
        },
      ],
    ],
    [
      "receivers of a scheduled message",
      "10000 accounts",
      (more) => [
        "post",
        "/api/v1/scheduled_messages",
        {
          type: "direct",
          to: ids(10_000 + more),
          content: "x",
          scheduled_delivery_timestamp: 4_000_000_000,
        },
      ],
    ],
    [
      "accounts to list",
      "10000 accounts",
      (more) => ["get", "/api/v1/users", { user_ids: ids(10_000 + more) }],
    ],
  ];
  for (const [what, bound, request] of many)
    it(`names the bound if it is exceeded by one, and not if it is reached: ${what}`, async () => {
      expect(await refuses(...request(1))).to.include(bound);
      const [method, path, params] = request(0);
      const { body } = await gateway.as(org.owner)[method](path, params);
      // The request may be refused for another reason: most of the ids and names are unknown.
      expect(String(body["msg"])).not.to.include(bound);
    });

  it("names the bound on the values of a list if it is exceeded: changes of subscriptions", async () => {
    const subscription_data = ids(10_001).map((stream_id) => ({
      stream_id,
      property: "is_muted",
      value: true,
    }));
    expect(await refuses("post", `${mine}/properties`, { subscription_data })).to.include("20000");
  });

  it("counts channels × accounts for existing and new channels and for permissions", async () => {
    const people = (await crowd(db, org.member, 101)).map(({ id }) => id);
    const over = await refuses("post", mine, {
      subscriptions: named(100, "new"),
      principals: people,
    });
    expect(over).to.include("10000").and.to.include("100 × 101");
    const groups = { direct_members: people, direct_subgroups: [] };
    const permission = { subscriptions: named(100, "new"), can_send_message_group: groups };
    expect(await refuses("post", mine, permission)).to.include("10000");
    const under = { subscriptions: named(99, "new"), principals: people };
    const { body } = await gateway.as(org.owner).post(mine, under);
    expect(body.result, body.msg).to.equal("success");
    expect(Object.keys(body["subscribed"] as object)).to.have.length(101);
  });

  it("counts the members and subgroups of all permissions of one request", async () => {
    const half = (first: number) => ({
      direct_members: Array.from({ length: 5_001 }, (_, i) => first + i),
      direct_subgroups: [],
    });
    const values = (one: string, other: string) => ({ [one]: half(1), [other]: half(6_000) });
    const updates = (one: string, other: string) => ({
      [one]: { new: half(1) },
      [other]: { new: half(6_000) },
    });
    const named = { name: "new", description: "" };
    const room = await channel(db, org.owner);
    const ofChannels = ["can_send_message_group", "can_subscribe_group"] as const;
    const ofGroups = ["can_join_group", "can_manage_group"] as const;
    const ofRealm = ["can_create_groups", "can_manage_all_groups"] as const;
    const creation = { ...named, subscribers: [], ...values(...ofChannels) };
    for (const over of [
      await refuses("post", "/api/v1/channels/create", creation),
      await refuses("patch", `/api/v1/streams/${room.id}`, updates(...ofChannels)),
      await refuses("post", "/api/v1/user_groups/create", {
        ...named,
        members: [],
        ...values(...ofGroups),
      }),
      await refuses("patch", group, updates(...ofGroups)),
      await refuses("patch", "/api/v1/realm", updates(...ofRealm)),
    ])
      expect(over).to.include("10000").and.to.include("10002");
  });

  it("counts channels × accounts for removed subscribers, too", async () => {
    const people = (await crowd(db, org.member, 101)).map(({ id }) => id);
    const rooms = [];
    for (let n = 0; n < 100; n++) rooms.push((await channel(db, org.owner)).name);
    const over = await refuses("delete", mine, { subscriptions: rooms, principals: people });
    expect(over).to.include("10000").and.to.include("100 × 101");
    const under = { subscriptions: rooms.slice(1), principals: people };
    const { body } = await gateway.as(org.owner).delete(mine, under);
    expect(body.result, body.msg).to.equal("success");
  });

  it("bounds the total number of subscribers of several channels, and exempts a single channel", async () => {
    const large = await channel(db, org.owner, { row: { subscriberCount: 200_000 } });
    const other = await channel(db, org.owner, { row: { subscriberCount: 100_000 } });
    const both = [{ name: large.name }, { name: other.name }];
    expect(await refuses("post", mine, { subscriptions: both })).to.include("250000 subscribers");
    const goes = { subscriptions: both.map(({ name }) => name) };
    expect(await refuses("delete", mine, goes)).to.include("250000 subscribers");
    expect(await refuses("patch", mine, { add: both })).to.include("250000 subscribers");
    await db.prisma.channel.update({ where: { id: large.id }, data: { subscriberCount: 300_000 } });
    const { body } = await gateway.as(org.owner).post(mine, { subscriptions: [both[0]] });
    expect(body.result, body.msg).to.equal("success");
  });
});
