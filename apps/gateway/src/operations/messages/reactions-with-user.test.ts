import { addReaction, getMessage, getMessages, removeReaction } from "@carillon/contract";
import { hostOf } from "@carillon/model";
import {
  changeOrganization,
  channel,
  countQueries,
  directRecipient,
  react,
  type TestAccount,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

import { post, write } from "../../test-support/reading-messages.ts";

/** The User-Agent of zulip-term 0.7.0. */
const terminal = "ZulipTerminal/0.7.0 Linux-6.1 (Debian GNU/Linux; 12)";

describe("Reactions with the user object, for clients that need it", () => {
  const scene = useScene();

  /** The reactions of a message, which both operations must return alike. */
  async function reactionsFor(by: TestAccount, id: number, agent: string) {
    const headers = { "User-Agent": agent };
    const { messages } = await scene
      .as(by)
      .succeed(getMessages, { params: { message_ids: [id], narrow: [] }, headers });
    const { message } = await scene
      .as(by)
      .succeed(getMessage, { path: { message_id: id }, headers });
    expect(message.reactions).to.deep.equal(messages[0]?.reactions);
    return message.reactions;
  }
  const userOf = ({ id, email, fullName }: TestAccount) => ({ id, email, full_name: fullName });
  const emoji = { emoji_name: "car", emoji_code: "1f697", reaction_type: "unicode_emoji" };

  it("contain the object in messages for these clients only", async () => {
    const { org, gateway } = scene;
    const { member, admin, owner } = org;
    const room = await channel(scene.db, org.realm, { subscribers: [member, admin] });
    // Owner and channel share nothing but the reaction.
    const id = await post(gateway, member, room);
    for (const each of [owner, member]) await react(gateway, each, id, "car");
    expect(await reactionsFor(admin, id, terminal)).to.deep.equal(
      [owner, member].map((each) => ({ ...emoji, user_id: each.id, user: userOf(each) })),
    );
    for (const agent of ["ZulipMobile/30.0.1 (Android 14)", "node", `My${terminal}`])
      expect(await reactionsFor(admin, id, agent), agent).to.deep.equal(
        [owner, member].map((each) => ({ ...emoji, user_id: each.id })),
      );
  });

  it("contain the visible address", async () => {
    const { org, gateway } = scene;
    const hidden = await user(scene.db, org.realm, { settings: { email_address_visibility: 4 } });
    const id = await write(gateway, org.member, [hidden]);
    await react(gateway, hidden, id, "car");
    const [first] = await reactionsFor(org.member, id, terminal);
    expect(first?.user).to.deep.equal({
      id: hidden.id,
      email: `user${hidden.id}@${hostOf(gateway.services.site, org.realm)}`,
      full_name: hidden.fullName,
    });
  });

  it("run no additional statement for any number of reactions", async () => {
    const { db, org, gateway } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const ids = [await post(gateway, org.member, room), await post(gateway, org.member, room)];
    await react(gateway, org.member, ids[0] ?? 0, "car");
    for (const each of [org.owner, org.admin, org.member, org.bot])
      await react(gateway, each, ids[1] ?? 0, "car", "smile");
    const count = async (id: number | undefined, agent: string) => {
      const params = { message_ids: [id], narrow: [] };
      const headers = { "User-Agent": agent };
      const ask = () => scene.as(org.member).succeed(getMessages, { params, headers });
      return (await countQueries(db, ask)).count;
    };
    const usual = await count(ids[0], "node");
    for (const id of ids)
      for (const agent of ["node", terminal]) expect(await count(id, agent)).to.equal(usual);
  });

  it("contain the object in events to queues of these clients only", async () => {
    const { db, org, gateway } = scene;
    const { member, admin } = org;
    const room = await channel(db, org.realm, { subscribers: [member, admin] });
    const id = await post(gateway, member, room);
    const received = await watch(
      gateway,
      {
        terminal: { account: member, params: { client: "ZulipTerminal" } },
        other: { account: member, params: { client: "ZulipMobile" } },
        own: { account: admin, params: { client: "ZulipTerminal" } },
      },
      async () => {
        await react(gateway, admin, id, "car");
        const asked = { path: { message_id: id }, params: { emoji_name: "car" } };
        await scene.as(admin).succeed(removeReaction, asked);
      },
    );
    const seen = (queue: keyof typeof received) =>
      received[queue]
        .filter(({ type }) => type === "reaction")
        .map(({ id: _id, ...event }) => event);
    const events = ["add", "remove"].map((op) => ({
      type: "reaction",
      op,
      message_id: id,
      ...emoji,
      user_id: admin.id,
    }));
    const { email, fullName: full_name } = admin;
    const user = { user_id: admin.id, email, full_name };
    expect(seen("other")).to.deep.equal(events);
    expect(seen("terminal")).to.deep.equal(events.map((event) => ({ ...event, user })));
    expect(seen("own")).to.deep.equal(seen("terminal"));
  });

  describe("with restricted guests", () => {
    let stranger: TestAccount;
    let peer: TestAccount;
    let friend: TestAccount;
    let guest: TestAccount;

    before(async () => {
      const { db, org } = scene;
      await changeOrganization(db, org.realm, {
        canAccessAllUsersGroupId: org.groups["role:members"],
      });
      guest = org.guest;
      [stranger, peer, friend] = [
        await user(db, org.realm),
        await user(db, org.realm),
        await user(db, org.realm),
      ];
      await directRecipient(db, org.realm.id, [guest, friend]);
    });

    it("hide the names of unseen accounts from a guest", async () => {
      const { db, org, gateway } = scene;
      const { member, bot } = org;
      const room = await channel(db, org.realm, { subscribers: [guest, peer, member] });
      const id = await post(gateway, peer, room);
      const by = [stranger, peer, friend, bot, guest];
      const queue = (account: TestAccount) => ({ account, params: { client: "ZulipTerminal" } });
      const received = await watch(
        gateway,
        { guest: queue(guest), member: queue(member) },
        async () => {
          for (const each of by) await react(gateway, each, id, "car");
          for (const each of by) {
            const params = { emoji_name: "car" };
            await scene.as(each).succeed(removeReaction, { path: { message_id: id }, params });
            await scene.as(each).succeed(addReaction, { path: { message_id: id }, params });
          }
        },
      );
      const unknown = {
        id: stranger.id,
        email: `user${stranger.id}@${hostOf(gateway.services.site, org.realm)}`,
        full_name: "Unknown user",
      };
      const known = by.map(userOf);
      const shown = [unknown, ...known.slice(1)];
      const inMessages = async (viewer: TestAccount) =>
        (await reactionsFor(viewer, id, terminal)).map((reaction) => reaction.user);
      const inEvents = (viewer: keyof typeof received) =>
        received[viewer]
          .filter(({ type }) => type === "reaction")
          .map((event) => event["user"] as { user_id: number })
          .map(({ user_id, ...rest }) => ({ id: user_id, ...rest }));
      const eachTime = <T>(all: readonly T[]) => [...all, ...all.flatMap((one) => [one, one])];
      expect(await inMessages(guest)).to.deep.equal(shown);
      expect(await inMessages(member)).to.deep.equal(known);
      expect(inEvents("guest")).to.deep.equal(eachTime(shown));
      expect(inEvents("member")).to.deep.equal(eachTime(known));
    });
  });
});
