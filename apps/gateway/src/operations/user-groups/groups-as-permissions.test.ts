import {
  addSubscriptions,
  createChannel,
  createUserGroup,
  getMessages,
  listChannels,
  removeSubscriptions,
  sendMessage,
  updateUserGroup,
  updateUserGroupMembers,
} from "@carillon/contract";
import {
  changeOrganization,
  newGroup,
  organization,
  refused,
  refusedWith,
  type Refusable,
  unique,
  useDatabase,
  useGateway,
  user,
  userGroup,
  type Params,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

/**
 * Each permission is given to a named group, to an anonymous group of accounts and to an anonymous group of groups, so
 * that members are found at any depth. `inside` is a member, `outside` is not.
 */
const forms = ["a named group", "a set of accounts", "a set of groups"] as const;
type Form = (typeof forms)[number];

describe("User groups as permissions", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let inside: TestAccount;
  let outside: TestAccount;
  let values: Record<Form, object | number>;
  beforeEach(async () => {
    org = await organization(db);
    [inside, outside] = [await user(db, org.realm), await user(db, org.realm)];
    const inner = await newGroup(gateway, org.owner, { members: [inside.id] });
    const outer = await newGroup(gateway, org.owner, { subgroups: [inner] });
    const other = await newGroup(gateway, org.owner);
    values = {
      "a named group": outer,
      "a set of accounts": { direct_members: [inside.id], direct_subgroups: [] },
      "a set of groups": { direct_members: [org.guest.id], direct_subgroups: [outer, other] },
    };
  });

  const allows = async (request: Promise<Refusable>) => {
    const answer = await request;
    if (answer.status !== 200) refusedWith(answer);
    return answer.status === 200;
  };
  /** Expects that the operation succeeds for `inside` and fails for `outside`. */
  const only = async (attempt: (by: TestAccount) => Promise<boolean>) => {
    expect(await attempt(outside), "the one outside").to.equal(false);
    expect(await attempt(inside), "the one inside").to.equal(true);
  };

  for (const form of forms) {
    describe(`that are ${form}`, () => {
      /** The operations that create a channel with subscribers other than `inside` and `outside`. */
      const ways: Record<string, (name: string, params: Params) => Promise<unknown>> = {
        "POST /channels/create": (name, params) =>
          gateway.as(org.moderator).succeed(createChannel, {
            params: { name, subscribers: [org.moderator.id], ...params },
          }),
        "POST /users/me/subscriptions": (name, params) =>
          gateway.as(org.moderator).succeed(addSubscriptions, {
            params: { subscriptions: [{ name }], ...params },
          }),
      };
      for (const [way, make] of Object.entries(ways)) {
        const room = async (params: Params) => {
          const name = unique("room");
          await make(name, params);
          return name;
        };
        const send =
          (name: string, topic = "any") =>
          (by: TestAccount) =>
            allows(
              gateway.as(by).call(sendMessage, {
                params: { type: "stream", to: name, topic, content: "Hello" },
              }),
            );

        it(`decide who may send to a channel from ${way}`, async () => {
          await only(send(await room({ can_send_message_group: values[form] })));
        });

        it(`decide who may start topics in a channel from ${way}`, async () => {
          const name = await room({ can_create_topic_group: values[form] });
          await only(send(name, "begun"));
          expect(await send(name, "begun")(outside)).to.equal(true);
        });

        it(`decide who may subscribe to a private channel from ${way}`, async () => {
          const name = await room({ invite_only: true, can_subscribe_group: values[form] });
          await only((by) =>
            allows(
              gateway.as(by).call(addSubscriptions, { params: { subscriptions: [{ name }] } }),
            ),
          );
        });

        it(`decide who may add others to a channel from ${way}`, async () => {
          await changeOrganization(db, org.realm, {
            canAddSubscribersGroupId: org.groups["role:nobody"],
          });
          const name = await room({ can_add_subscribers_group: values[form] });
          await only((by) =>
            allows(
              gateway.as(by).call(addSubscriptions, {
                params: { subscriptions: [{ name }], principals: [org.bot.id] },
              }),
            ),
          );
        });

        it(`decide who may remove others from a channel from ${way}`, async () => {
          const name = await room({ can_remove_subscribers_group: values[form] });
          await only((by) =>
            allows(
              gateway.as(by).call(removeSubscriptions, {
                params: { subscriptions: [name], principals: [org.moderator.id] },
              }),
            ),
          );
        });

        it(`decide who sees the metadata of a private channel from ${way} as its administrator`, async () => {
          const name = await room({
            invite_only: true,
            can_administer_channel_group: values[form],
          });
          await only(async (by) => {
            const { streams } = await gateway.as(by).succeed(listChannels, {
              params: { include_all: true },
            });
            return streams.some((stream) => stream.name === name);
          });
        });

        it(`are returned as they were set in a channel from ${way}`, async () => {
          const names = [
            "can_delete_any_message_group",
            "can_delete_own_message_group",
            "can_move_messages_out_of_channel_group",
            "can_move_messages_within_channel_group",
            "can_resolve_topics_group",
          ] as const;
          const name = await room(Object.fromEntries(names.map((each) => [each, values[form]])));
          const { streams } = await gateway.as(org.owner).succeed(listChannels);
          const channel = streams.find((stream) => stream.name === name);
          for (const each of names) expect(channel?.[each]).to.deep.equal(values[form]);
        });
      }

      it("decide who may mention a group", async () => {
        const name = unique("bells");
        const called = await user(db, org.realm);
        await newGroup(gateway, org.owner, {
          name,
          members: [called.id],
          can_mention_group: values[form],
        });
        const mention = (content: string) => (by: TestAccount) =>
          allows(
            gateway.as(by).call(sendMessage, {
              params: { type: "direct", to: [called.id], content },
            }),
          );
        await only(mention(`@*${name}* ring!`));
        expect(await mention(`@_*${name}* rang`)(outside)).to.equal(true);
        const { messages } = await gateway.as(called).succeed(getMessages, {
          params: { anchor: "newest", num_before: 2, num_after: 0 },
        });
        expect(messages.map(({ flags }) => flags?.includes("mentioned"))).to.deep.equal([
          true,
          false,
        ]);
      });

      it("decide who may join a group", async () => {
        const id = await newGroup(gateway, org.owner, { can_join_group: values[form] });
        await only((by) =>
          allows(
            gateway.as(by).call(updateUserGroupMembers, {
              path: { user_group_id: id },
              params: { add: [by.id] },
            }),
          ),
        );
      });
    });
  }

  it("decide who may create groups and channels in the organization", async () => {
    const group = values["a named group"] as number;
    await changeOrganization(db, org.realm, {
      canCreateGroupsId: group,
      canCreatePublicChannelGroupId: group,
      canCreatePrivateChannelGroupId: group,
    });
    await only((by) =>
      allows(
        gateway.as(by).call(createUserGroup, {
          params: { name: unique("group"), description: "", members: [] },
        }),
      ),
    );
    for (const invite_only of [false, true])
      await only((by) =>
        allows(
          gateway.as(by).call(createChannel, {
            params: { name: unique("room"), subscribers: [], invite_only },
          }),
        ),
      );
  });

  it("are evaluated for every request", async () => {
    const group = await newGroup(gateway, org.owner, { members: [outside.id] });
    const own = await newGroup(gateway, org.owner, { can_manage_group: group });
    const change = (by: TestAccount) =>
      allows(
        gateway.as(by).call(updateUserGroup, {
          path: { user_group_id: own },
          params: { description: unique("text") },
        }),
      );
    expect(await change(outside)).to.equal(true);
    await gateway.as(org.owner).succeed(updateUserGroupMembers, {
      path: { user_group_id: group },
      params: { delete: [outside.id], add: [inside.id] },
    });
    await only(change);
  });

  it("refuse mentions of system groups, and notify nobody if deactivated", async () => {
    const name = unique("bells");
    await userGroup(db, org.realm, { name, members: [inside], deactivated: true });
    const send = (content: string) =>
      gateway.as(org.owner).call(sendMessage, {
        params: { type: "direct", to: [inside.id], content },
      });
    for (const role of Object.keys(org.groups)) {
      await refused(db, () => send(`@*${role}* hello`));
      expect((await send(`@_*${role}* hello`)).status, role).to.equal(200);
    }
    expect((await send(`@*${name}* hello`)).status).to.equal(200);
    const { messages } = await gateway.as(inside).succeed(getMessages, {
      params: { anchor: "newest", num_before: 1, num_after: 0 },
    });
    expect(messages[0]?.flags).to.deep.equal([]);
    expect(messages[0]?.content).to.include("user-group-mention silent");
  });
});
