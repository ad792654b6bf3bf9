import { loadPrincipals } from "@carillon/model";
import {
  channel,
  countQueries,
  crowd,
  eventsOf,
  organization,
  useDatabase,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { addSubscriptions, type AddSubscriptionsInput } from "./add-subscriptions.ts";
import { createChannel } from "./create-channel.ts";
import { removeSubscriptions } from "./remove-subscriptions.ts";

describe("many channels and many accounts in one request", () => {
  const db = useDatabase();
  let org: TestOrganization;
  let people: Awaited<ReturnType<typeof crowd>>;
  before(async () => {
    org = await organization(db);
    people = await crowd(db, org.member, 200);
  });

  const plain: Omit<AddSubscriptionsInput, "subscriptions" | "principals"> = {
    authorizationErrorsFatal: true,
    notifySubscribed: true,
    inviteOnly: false,
    isWebPublic: false,
    isDefault: false,
    announce: true,
    historyPublicToSubscribers: undefined,
    messageRetentionDays: "realm_default",
    topicsPolicy: "inherit",
    folderId: undefined,
    groups: {},
  };
  const begins = (statement: string) => statement.slice(0, 60);
  let made = 0;
  const newNames = (count: number) => Array.from({ length: count }, () => `bulk ${made++}`);
  const ids = (count: number) => people.slice(0, count).map(({ id }) => id);

  function add(names: readonly string[], principals: number[], input = plain) {
    const subscriptions = names.map((name) => ({ name, description: `of **${name}**` }));
    return eventsOf(db, org.realm.id, () =>
      countQueries(db, () =>
        db.transaction((tx) =>
          addSubscriptions(tx, org.admin, { ...input, subscriptions, principals }),
        ),
      ),
    );
  }

  for (const inviteOnly of [false, true])
    it(`creates 100 ${inviteOnly ? "private" : "public"} channels with as many statements as two`, async () => {
      const input = {
        ...plain,
        inviteOnly,
        groups: { canAdministerChannelGroup: { direct_members: ids(3), direct_subgroups: [] } },
      };
      // The very first notice also stores the name of the client program that sends it.
      await add(newNames(1), ids(1), input);
      const few = await add(newNames(2), ids(4), input);
      const names = newNames(100);
      const many = await add(names, ids(100), input);
      expect(many.result.statements.map(begins)).to.deep.equal(few.result.statements.map(begins));
      const rows = await db.prisma.channel.findMany({
        where: { realmId: org.realm.id, name: { in: names } },
        include: { recipient: true },
      });
      expect(rows).to.have.length(100);
      const holders = rows.map(({ canAdministerChannelGroupId }) => canAdministerChannelGroupId);
      expect(new Set(holders)).to.have.length(100);
      const members = await db.prisma.userGroupMember.count({
        where: { groupId: { in: holders } },
      });
      expect(members).to.equal(300);
      for (const { name, recipient, renderedDescription, subscriberCount } of rows) {
        expect(recipient).not.to.equal(null);
        expect(renderedDescription).to.include(`<strong>${name}</strong>`);
        expect(subscriberCount).to.equal(100);
      }
      const received = many.events
        .filter(({ type }) => type !== "message")
        .map(({ type, op }) => `${type}/${op}`);
      expect(received).to.deep.equal(
        few.events.filter(({ type }) => type !== "message").map(({ type, op }) => `${type}/${op}`),
      );
      expect(many.events.filter(({ type }) => type === "message")).to.have.length(100);
    });

  it("subscribes to and unsubscribes from 500 channels with as many statements and events as from two", async () => {
    const rooms = [];
    for (let n = 0; n < 5; n++) {
      const names = newNames(100);
      await add(names, [org.owner.id]);
      rooms.push(...names);
    }
    const few = await add(rooms.slice(0, 2), ids(2));
    // Each account is already subscribed to different channels, with different colours.
    for (let n = 0; n < 20; n++)
      await add(
        rooms.slice(n * 10, n * 10 + 3),
        people.slice(n, n + 1).map(({ id }) => id),
      );
    const many = await add(rooms, ids(20));
    expect(many.result.statements.map(begins)).to.deep.equal(few.result.statements.map(begins));
    const events = many.events.map(({ type, op }) => `${type}/${op}`);
    expect(events).to.deep.equal(few.events.map(({ type, op }) => `${type}/${op}`));
    expect(Object.values(many.result.result.subscribed).flat()).to.have.length(
      500 * 20 - 20 * 3 - 4 + 2,
    );

    const remove = (names: readonly string[], principals: number[]) =>
      eventsOf(db, org.realm.id, () =>
        countQueries(db, () =>
          db.transaction((tx) =>
            removeSubscriptions(tx, org.admin, { subscriptions: names, principals }),
          ),
        ),
      );
    const all = await remove(rooms, ids(20));
    const one = await remove(rooms.slice(0, 1), [org.owner.id]);
    expect(all.result.count, all.result.statements.join("\n")).to.equal(one.result.count);
    expect(all.events).to.have.length(2);
  });

  it("creates one channel for 200 subscribers with as many statements as for two", async () => {
    const create = (subscribers: number[]) =>
      countQueries(db, () =>
        db.transaction((tx) =>
          createChannel(tx, org.admin, {
            ...plain,
            name: newNames(1).join(),
            description: "",
            subscribers,
          }),
        ),
      );
    const few = await create(ids(2));
    const many = await create(ids(200));
    expect(many.count, many.statements.join("\n")).to.equal(few.count);
  });

  it("finds accounts by their addresses with one statement that uses an index for each address", async () => {
    const addresses = people.map(({ deliveryEmail }) => deliveryEmail.toUpperCase());
    const { count, result, statements } = await countQueries(db, () =>
      db.transaction((tx) => loadPrincipals(tx, org.admin, addresses)),
    );
    expect(result.map(({ id }) => id)).to.have.members(people.map(({ id }) => id));
    expect(count, statements.join("\n")).to.equal(4);
    const lookUp = statements.find((text) => text.includes("byPublicAddress"))!;
    expect(lookUp).not.to.match(/\bOR\b/);
  });

  it("subscribes each account once if two requests name a channel in different orders", async () => {
    const room = await channel(db, org.realm);
    const [first, second] = await Promise.all([
      add([room.name, ...newNames(3)], ids(3)),
      add([room.name, ...newNames(3)].reverse(), ids(3).reverse()),
    ]);
    const fresh = [first, second].flatMap(({ result }) => Object.values(result.result.subscribed));
    expect(fresh.flat().filter((name) => name === room.name)).to.have.length(3);
  });
});
