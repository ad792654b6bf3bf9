import { getMessage, getMessages } from "@carillon/contract";
import {
  changeChannel,
  changeOrganization,
  channel,
  countQueries,
  organization,
  refused,
  refusedAlike,
  subscribe,
  type TestAccount,
  unsubscribe,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { post, setFlags, write } from "../../test-support/reading-messages.ts";

describe("GET /messages/{message_id}", () => {
  const scene = useScene();

  const get = (by: TestAccount, id: number | string, params = {}) =>
    scene.as(by).call(getMessage, { path: { message_id: id }, params });
  const seen = async (by: TestAccount, id: number, params = {}) => {
    const { status, body } = await get(by, id, params);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const refusal = async (by: TestAccount, id: number | string) =>
    (await refused(scene.db, () => get(by, id), "BAD_REQUEST", {})).msg;
  const everybody = () => {
    const { owner, admin, moderator, member, guest, bot } = scene.org;
    return [owner, admin, moderator, member, guest, bot];
  };

  it("returns the same as GET /messages, with the source text", async () => {
    const { db, gateway, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const ids = [
      await post(gateway, org.member, room, "see example.com", "**soup** <b>"),
      await write(gateway, org.owner, [org.member, org.bot], "/me *waves*"),
    ];
    await setFlags(db, org.member, 2, ...ids);
    for (const id of ids)
      for (const apply_markdown of [true, false]) {
        const params = { message_ids: [id], narrow: [], apply_markdown };
        const listed = await scene.as(org.member).succeed(getMessages, { params });
        const { message, raw_content, ...envelope } = await seen(org.member, id, {
          apply_markdown,
        });
        expect(message).to.deep.equal(listed.messages[0]);
        expect(raw_content).to.equal(id === ids[0] ? "**soup** <b>" : "/me *waves*");
        expect(message.content === raw_content).to.equal(!apply_markdown);
        expect(envelope).to.deep.equal({ result: "success", msg: "" });
        expect(message.flags).to.include("starred");
      }
  });

  it("returns a Gravatar as null if the client can compute it", async () => {
    const { gateway, org } = scene;
    const { message } = await seen(org.member, await write(gateway, org.owner, [org.member]));
    expect(message.avatar_url).to.equal(null);
  });

  it("shows the empty topic under its display name to clients without support for empty topics", async () => {
    const { db, gateway } = scene;
    const own = await organization(db);
    await changeOrganization(db, own.realm, { emptyTopicDisplayName: "misc" });
    const lobby = await channel(db, own.realm, { subscribers: [own.member] });
    const id = await post(gateway, own.member, lobby, "");
    expect((await seen(own.member, id)).message.subject).to.equal("misc");
    const { message } = await seen(own.member, id, { allow_empty_topic_name: true });
    expect(message.subject).to.equal("");
  });

  it("is flagged as read and historical if the caller has no copy", async () => {
    const { db, gateway, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.owner] });
    const id = await post(gateway, org.owner, room);
    for (const by of [org.admin, org.member, org.bot])
      expect((await seen(by, id)).message.flags).to.deep.equal(["read", "historical"]);
    await subscribe(db, room, org.guest);
    expect((await seen(org.guest, id)).message.flags).to.deep.equal(["read", "historical"]);
  });

  it("refuses unknown and invisible messages with the same error, whatever the role", async () => {
    const { db, gateway, org } = scene;
    const other = await organization(db);
    const foreign = await channel(db, other.realm, { subscribers: [other.owner] });
    const secret = await channel(db, org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [org.owner],
    });
    const stranger = await user(db, org.realm, { role: 100 });
    const ids = [
      await post(gateway, other.owner, foreign),
      await post(gateway, org.owner, secret),
      await write(gateway, org.owner, [org.owner]),
      0,
      2 ** 31 - 1,
      2 ** 31,
      2 ** 53 - 1,
    ];
    const asked = [stranger, ...everybody().slice(1)].flatMap((by) =>
      ids.map((id): [TestAccount, number | string] => [by, id]),
    );
    for (const id of ["9007199254740993", "1".repeat(400)]) asked.push([org.owner, id]);
    await refusedAlike(db, asked, ([by, id]) => get(by, id));
    await refused(db, () => get(org.owner, "-1"), "NOT_FOUND");
    await refused(db, () => get(org.owner, "1e3"), "NOT_FOUND");
  });

  it("finds message IDs above the range of integer", async () => {
    const { db, gateway, org } = scene;
    const id = await write(gateway, org.owner, [org.member]);
    const large = 2 ** 40 + id;
    await db.rows("UPDATE messages SET id = $2 WHERE id = $1", [id, large]);
    await db.rows("UPDATE user_messages SET message_id = $2 WHERE message_id = $1", [id, large]);
    expect((await seen(org.member, large)).message.id).to.equal(large);
  });

  it("allows public channels for all but unsubscribed guests", async () => {
    const { db, gateway, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.owner, org.guest] });
    const id = await post(gateway, org.owner, room);
    for (const by of everybody()) await seen(by, id);
    await unsubscribe(db, room, org.owner, org.guest);
    for (const by of everybody())
      if (by === org.guest) await refusal(by, id);
      else await seen(by, id);
    await changeChannel(db, room, { isWebPublic: true });
    for (const by of everybody()) await seen(by, id);
  });

  it("allows shared history for readers of the channel, and protected history for receivers", async () => {
    const { db, gateway, org } = scene;
    const reader = await user(db, org.realm);
    const team = await userGroup(db, org.realm, { members: [reader] });
    for (const historyPublicToSubscribers of [true, false]) {
      const room = await channel(db, org.realm, {
        inviteOnly: true,
        historyPublicToSubscribers,
        subscribers: [org.owner],
        groups: { canSubscribeGroupId: team.id },
      });
      const id = await post(gateway, org.owner, room);
      await subscribe(db, room, org.guest, org.bot);
      const later = await post(gateway, org.owner, room);
      for (const by of [org.guest, org.bot, reader])
        if (historyPublicToSubscribers) await seen(by, id);
        else await refusal(by, id);
      for (const by of [org.guest, org.bot]) await seen(by, later);
      await unsubscribe(db, room, org.guest, org.bot);
      for (const by of [org.guest, org.bot, org.admin]) await refusal(by, later);
    }
  });

  it("allows archived channels", async () => {
    const { db, gateway, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.owner, org.guest] });
    const id = await post(gateway, org.owner, room);
    await changeChannel(db, room, { isArchived: true });
    for (const by of everybody()) await seen(by, id);
  });

  it("allows direct messages for their participants", async () => {
    const { gateway, org } = scene;
    const id = await write(gateway, org.member, [org.guest, org.bot]);
    for (const by of everybody())
      if (by === org.member || by === org.guest || by === org.bot) await seen(by, id);
      else await refusal(by, id);
  });

  it("requires authentication and valid booleans", async () => {
    const { gateway, org } = scene;
    const id = await write(gateway, org.owner, [org.member]);
    await refused(scene.db, () => gateway.anonymous.get(`/api/v1/messages/${id}`), "UNAUTHORIZED");
    for (const name of ["apply_markdown", "allow_empty_topic_name"])
      await refused(scene.db, () => get(org.member, id, { [name]: "1" }), "BAD_REQUEST");
  });

  it("runs the same number of statements for any number of channels and accounts", async () => {
    const { db, gateway, org } = scene;
    const count = async (id: number) => (await countQueries(db, () => seen(org.member, id))).count;
    const direct = await write(gateway, org.owner, [org.member]);
    const crowd = await Promise.all(Array.from({ length: 5 }, () => user(db, org.realm)));
    const group = await write(gateway, org.owner, [org.member, ...crowd]);
    const room = await channel(db, org.realm, { subscribers: [org.member, ...crowd] });
    const inRoom = await post(gateway, crowd[0] ?? org.owner, room);
    const counts = [await count(direct), await count(group), await count(inRoom)];
    expect(new Set(counts), counts.join()).to.have.property("size", 1);
  });
});
