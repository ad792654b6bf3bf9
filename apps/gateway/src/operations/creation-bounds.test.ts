import {
  addSubscriptions,
  bounds,
  createBot,
  createChannel,
  createChannelFolder,
  createUserGroup,
  listChannelFolders,
  listChannels,
  updateUserGroup,
} from "@carillon/contract";
import {
  bot,
  channel,
  channelsLike,
  crowd,
  groupsLike,
  organization,
  refused,
  refusedWith,
  roles,
  unique,
  useDatabase,
  useGateway,
  user,
  userGroup,
  type Refusable,
  type TestAccount,
  type TestOrganization,
  nth,
} from "@carillon/testkit";
import { expect } from "chai";

const yesterday = () => new Date(Date.now() - 25 * 60 * 60 * 1_000);

/** http-contract.md §8.1: every registration returns all channels, groups and bots of the organization. */
describe("Limits of an organization", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  interface Kind {
    readonly what: string;
    readonly inOrganization: number;
    readonly aDay: number;
    /** The column with the operator's limit. */
    readonly column: string;
    make(by: TestAccount): Promise<Refusable>;
    /** Inserts this many rows that the account has created. */
    fill(org: TestOrganization, by: TestAccount, count: number, madeAt: Date): Promise<void>;
    count(org: TestOrganization): Promise<number>;
  }
  const kinds: readonly Kind[] = [
    {
      what: "channels",
      inOrganization: bounds.organizationChannels,
      aDay: bounds.channelsADay,
      column: "max_channels",
      make: (by) =>
        gateway.as(by).call(createChannel, { params: { name: unique("new"), subscribers: [] } }),
      fill: async (_, by, count, madeAt) =>
        channelsLike(
          db,
          await channel(db, by, { row: { dateCreated: madeAt } }),
          count - 1,
          madeAt,
        ),
      count: ({ realm }) => db.prisma.channel.count({ where: { realmId: realm.id } }),
    },
    {
      what: "user groups",
      inOrganization: bounds.organizationUserGroups,
      aDay: bounds.userGroupsADay,
      column: "max_user_groups",
      make: (by) =>
        gateway
          .as(by)
          .call(createUserGroup, { params: { name: unique("new"), description: "", members: [] } }),
      async fill(_, by, count, madeAt) {
        const { group_id: id } = await gateway.as(by).succeed(createUserGroup, {
          params: { name: unique("first"), description: "", members: [] },
        });
        await db.rows("UPDATE named_user_group SET date_created = $2 WHERE id = $1", [id, madeAt]);
        await groupsLike(db, { id }, count - 1, madeAt);
      },
      count: ({ realm }) =>
        db.prisma.namedUserGroup.count({ where: { realmId: realm.id, isSystemGroup: false } }),
    },
    {
      what: "bots",
      inOrganization: bounds.organizationBots,
      aDay: bounds.botsADay,
      column: "max_bots",
      make: (by) => {
        const name = unique("new");
        return gateway.as(by).call(createBot, { params: { full_name: name, short_name: name } });
      },
      async fill(_, by, count, madeAt) {
        const first = await bot(db, by);
        await db.rows("UPDATE users SET date_joined = $2 WHERE id = $1", [first.id, madeAt]);
        await crowd(db, first, count - 1);
      },
      count: ({ realm }) =>
        db.prisma.user.count({ where: { realmId: realm.id, isBot: true, systemBotKind: null } }),
    },
  ];

  for (const kind of kinds) {
    it(`accepts ${kind.inOrganization} ${kind.what} of an organization and refuses one more, also to administrators`, async () => {
      const org = await organization(db);
      await kind.fill(
        org,
        org.owner,
        kind.inOrganization - 1 - (await kind.count(org)),
        yesterday(),
      );
      expect((await kind.make(org.member)).status).to.equal(200);
      expect(await kind.count(org)).to.equal(kind.inOrganization);
      for (const by of [org.member, org.owner]) {
        const answer = await kind.make(by);
        refusedWith(answer);
        expect(answer.body["msg"]).to.include(`more than ${kind.inOrganization} ${kind.what}`);
      }
    });

    it(`accepts as many ${kind.what} as the operator allows, also under two concurrent requests`, async () => {
      const org = await organization(db);
      const there = await kind.count(org);
      await db.rows(`UPDATE realms SET ${kind.column} = $2 WHERE id = $1`, [
        org.realm.id,
        there + 1,
      ]);
      const by = [org.member, org.moderator, org.admin, org.owner, org.member, org.owner];
      const answers = await Promise.all(by.map((each) => kind.make(each)));
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      expect(await kind.count(org)).to.equal(there + 1);
    });

    it(`accepts ${kind.aDay} ${kind.what} of a person within 24 hours, and more of administrators`, async () => {
      const org = await organization(db);
      const maker = await user(db, org.realm);
      await kind.fill(org, maker, 10, yesterday());
      await kind.fill(org, maker, kind.aDay - 1, new Date());
      expect((await kind.make(maker)).status).to.equal(200);
      const { msg } = await refused(db, () => kind.make(maker));
      expect(msg).to.include(`more than ${kind.aDay} ${kind.what} within 24 hours`);
      expect((await kind.make(org.member)).status).to.equal(200);
      await db.rows("UPDATE users SET role = $2 WHERE id = $1", [maker.id, roles.administrator]);
      expect((await kind.make(maker)).status).to.equal(200);
    });
  }

  it("counts what a person's bots create towards the person's limit", async () => {
    const org = await organization(db);
    const maker = await user(db, org.realm);
    const [one, other] = [await bot(db, maker), await bot(db, maker)];
    const channels = nth(kinds, 0);
    await channels.fill(org, one, bounds.channelsADay - 1, new Date());
    expect((await channels.make(other)).status).to.equal(200);
    for (const by of [one, other, maker]) await refused(db, () => channels.make(by));
  });

  it("counts the channels that a subscription creates, all or none", async () => {
    const org = await organization(db);
    await db.rows("UPDATE realms SET max_channels = $2 WHERE id = $1", [
      org.realm.id,
      (await db.prisma.channel.count({ where: { realmId: org.realm.id } })) + 3,
    ]);
    const subscribe = (count: number) => {
      const subscriptions = Array.from({ length: count }, () => ({ name: unique("by name") }));
      return gateway.as(org.member).call(addSubscriptions, { params: { subscriptions } });
    };
    await refused(db, () => subscribe(4));
    expect((await subscribe(3)).status).to.equal(200);
    const known = await channel(db, org.member, {});
    await gateway
      .as(org.moderator)
      .succeed(addSubscriptions, { params: { subscriptions: [{ name: known.name }] } });
  });

  it("accepts a group description of 1024 characters and refuses a longer one", async () => {
    const org = await organization(db);
    const longest = "\u{1F514}".repeat(bounds.groupDescription);
    const create = (description: string) =>
      gateway
        .as(org.owner)
        .call(createUserGroup, { params: { name: unique("long"), description, members: [] } });
    expect((await create(longest)).status).to.equal(200);
    await refused(db, () => create(`${longest}x`));
    const { id } = await userGroup(db, org.realm, {});
    const update = (description: string) =>
      gateway
        .as(org.owner)
        .call(updateUserGroup, { path: { user_group_id: id }, params: { description } });
    expect((await update(longest)).status).to.equal(200);
    await refused(db, () => update(`${longest}x`));
  });

  it("renders the first emoji of a channel's or folder's description and keeps the others as typed", async () => {
    const org = await organization(db);
    const owner = gateway.as(org.owner);
    const description = "\u{1F514}".repeat(1_024);
    const made = { name: unique("bells"), description };
    await owner.succeed(createChannel, { params: { ...made, subscribers: [] } });
    await owner.succeed(createChannelFolder, { params: made });
    const { streams } = await owner.succeed(listChannels, {});
    const { channel_folders: folders } = await owner.succeed(listChannelFolders, {});
    const all = [...streams, ...folders].filter(({ name }) => name === made.name);
    expect(all).to.have.length(2);
    for (const { rendered_description: html } of all) {
      expect(html.match(/<span/g)?.length).to.be.within(15, 25);
      expect(html).to.match(/\u{1F514}{990,}<\/p>$/u);
    }
  });

  it("accepts a channel description of up to 8000 characters of HTML and refuses a longer one", async () => {
    const org = await organization(db);
    const describe = (ampersands: number) => {
      const description = `http://a.b/${"&".repeat(ampersands)}/`;
      const params = { name: unique("links"), description, subscribers: [] };
      return gateway.as(org.owner).call(createChannel, { params });
    };
    // Each becomes `&amp;` in the address and in the text.
    const most = Math.floor((bounds.descriptionHtml - html(0).length) / 10);
    expect(html(most).length).to.be.within(bounds.descriptionHtml - 10, bounds.descriptionHtml);
    expect((await describe(most)).status).to.equal(200);
    const { streams } = await gateway.as(org.owner).succeed(listChannels, {});
    expect(streams.map((stream) => stream.rendered_description)).to.include(html(most));
    await refused(db, () => describe(most + 1));
  });
});

function html(ampersands: number): string {
  const address = `http://a.b/${"&amp;".repeat(ampersands)}/`;
  return `<p><a href="${address}">${address}</a></p>`;
}
