import { getMessages, type MessageResource } from "@carillon/contract";
import {
  channel,
  organization,
  useDatabase,
  useGateway,
  user,
  deactivateUser,
  changeOrganization,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { post, setFlags, term, write } from "../../test-support/reading-messages.ts";

describe("GET /messages: message objects", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let room: TestChannel;

  before(async () => {
    org = await organization(db);
    room = await channel(db, org.realm, { name: "Kitchen", subscribers: [org.member, org.owner] });
  });

  const get = async (
    account: TestAccount,
    id: number,
    more: object = {},
  ): Promise<MessageResource> => {
    const params = { message_ids: [id], narrow: [], ...more };
    const { messages } = await gateway.as(account).succeed(getMessages, { params });
    const [message] = messages;
    if (!message || messages.length > 1) throw new Error(`there are ${messages.length} messages`);
    return message;
  };

  it("have exactly the documented fields in a channel", async () => {
    const headers = {
      "User-Agent": "ZulipFlutter/0.0.15 (Android 14)",
      "Content-Type": "application/x-www-form-urlencoded",
    };
    const form = new URLSearchParams({
      type: "stream",
      to: "Kitchen",
      topic: "Soup",
      content: "**Hot**",
    });
    const answer = await gateway
      .as(org.owner)
      .send("POST", "/api/v1/messages", { headers, body: form.toString() });
    const id = Number(answer.body["id"]);
    const message = await get(org.member, id);
    const [row] = await db.rows<{ at: number }>(
      "SELECT floor(extract(epoch FROM sent_at))::int AS at FROM messages WHERE id = $1",
      [id],
    );
    expect(message).to.deep.equal({
      id,
      type: "stream",
      stream_id: room.id,
      display_recipient: "Kitchen",
      recipient_id: room.recipientId,
      subject: "Soup",
      content: "<p><strong>Hot</strong></p>",
      content_type: "text/html",
      timestamp: row?.at,
      sender_id: org.owner.id,
      sender_email: org.owner.email,
      sender_full_name: org.owner.fullName,
      sender_realm_str: org.realm.subdomain,
      avatar_url: null,
      client: "ZulipFlutter",
      is_me_message: false,
      flags: [],
      reactions: [],
      submessages: [],
      topic_links: [],
    });
    expect(await get(org.member, id, { apply_markdown: false })).to.include({
      content: "**Hot**",
      content_type: "text/x-markdown",
    });
  });

  it("have exactly the documented fields in a direct conversation, the same for all participants", async () => {
    const there = await write(gateway, org.owner, [org.member, org.admin]);
    const back = await write(gateway, org.admin, [org.owner, org.member]);
    const message = await get(org.member, there);
    expect(Object.keys(message)).to.have.members(
      "id type display_recipient recipient_id subject content content_type timestamp sender_id sender_email sender_full_name sender_realm_str avatar_url client is_me_message flags reactions submessages topic_links".split(
        " ",
      ),
    );
    const everybody = [org.owner, org.admin, org.member].sort((a, b) => a.id - b.id);
    expect(message).to.include({ type: "private", subject: "" });
    expect(message.topic_links).to.deep.equal([]);
    expect(message.display_recipient).to.deep.equal(
      everybody.map(({ id, email, fullName }) => ({
        id,
        email,
        full_name: fullName,
        is_mirror_dummy: false,
      })),
    );
    const answer = await get(org.member, back);
    expect(answer.recipient_id).to.equal(message.recipient_id);
    expect(answer.display_recipient).to.deep.equal(message.display_recipient);
    const note = await get(org.member, await write(gateway, org.member, [org.member]));
    expect(note.display_recipient).to.have.length(1);
    expect(note.recipient_id).not.to.equal(message.recipient_id);
    expect((await get(org.member, there, { allow_empty_topic_name: true })).subject).to.equal("");
  });

  it("show the empty topic under its display name to clients without support for empty topics", async () => {
    const own = await organization(db);
    await changeOrganization(db, own.realm, { emptyTopicDisplayName: "misc" });
    const lobby = await channel(db, own.realm, { subscribers: [own.member] });
    const id = await post(gateway, own.member, lobby, "");
    expect((await get(own.member, id)).subject).to.equal("misc");
    expect((await get(own.member, id, { allow_empty_topic_name: true })).subject).to.equal("");
    const params = { message_ids: [id], narrow: [term("topic", "misc")] };
    expect((await gateway.as(own.member).succeed(getMessages, { params })).messages).to.have.length(
      1,
    );
  });

  it("show the current sender and channel, also deactivated ones", async () => {
    const cook = await user(db, org.realm);
    const pantry = await channel(db, org.realm, { subscribers: [org.member, cook] });
    const id = await post(gateway, cook, pantry);
    await db.prisma.user.update({ where: { id: cook.id }, data: { fullName: "Former Cook" } });
    await db.prisma.channel.update({ where: { id: pantry.id }, data: { name: "Larder" } });
    await deactivateUser(db, cook);
    expect(await get(org.member, id)).to.include({
      sender_full_name: "Former Cook",
      display_recipient: "Larder",
      sender_email: cook.email,
    });
  });

  it("hide addresses and derived pictures if the sender hides the address, and contain the avatar if the client cannot compute it", async () => {
    const hidden = await user(db, org.realm, { settings: { email_address_visibility: 3 } });
    const id = await write(gateway, hidden, [org.member, org.admin]);
    const pictures: Array<[TestAccount, RegExp]> = [
      [org.member, new RegExp(`/avatar/${hidden.id}\\?version=1$`)],
      [org.admin, /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/],
    ];
    for (const [account, picture] of pictures) {
      const message = await get(account, id);
      expect(message.sender_email).to.equal(hidden.email).and.not.to.equal(hidden.deliveryEmail);
      expect(message.avatar_url).to.match(picture);
      expect(JSON.stringify(message)).to.not.include(hidden.deliveryEmail);
    }
    const open = await write(gateway, org.owner, [org.member]);
    expect((await get(org.member, open)).avatar_url).to.equal(null);
    expect((await get(org.member, open, { client_gravatar: false })).avatar_url).to.match(
      /^https:/,
    );
  });

  it("mark /me messages, in lower case only", async () => {
    const isMe = async (content: string) =>
      (await get(org.member, await write(gateway, org.owner, [org.member], content))).is_me_message;
    expect(await isMe("/me waves")).to.equal(true);
    expect(await isMe("/ME waves")).to.equal(false);
    expect(await isMe("/mewaves")).to.equal(false);
  });

  it("contain the topic links", async () => {
    const id = await post(gateway, org.owner, room, "see example.com or https://a.test/b");
    const { topic_links } = await get(org.member, id);
    expect(topic_links[0]).to.deep.equal({ text: "example.com", url: "https://example.com" });
    expect(topic_links.map(({ url }) => url)).to.include("https://a.test/b");
  });

  it("contain the caller's flags, with the deprecated wildcard flag and without internal ones", async () => {
    const id = await write(gateway, org.owner, [org.member]);
    expect((await get(org.member, id)).flags).to.deep.equal([]);
    await setFlags(db, org.member, 511 & ~128, id);
    expect((await get(org.member, id)).flags).to.have.members(
      "read starred collapsed mentioned stream_wildcard_mentioned topic_wildcard_mentioned wildcard_mentioned has_alert_word".split(
        " ",
      ),
    );
  });
});
