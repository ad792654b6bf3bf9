import { getMessages } from "@carillon/contract";
import {
  changeSubscription,
  channel,
  organization,
  refused,
  setTopicPolicy,
  useDatabase,
  useGateway,
  user,
  deactivateUser,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import {
  all,
  idsFor,
  leaveUnread,
  post,
  setFlags,
  term,
  write,
} from "../../test-support/reading-messages.ts";

describe("GET /messages: narrows", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let me: TestAccount;
  /** Deactivated after sending. */
  let gone: TestAccount;
  let room: TestChannel;
  let other: TestChannel;
  const sent: Record<string, number> = {};
  /** In the order of sending. */
  const names = () => Object.keys(sent);

  before(async () => {
    org = await organization(db);
    me = org.member;
    room = await channel(db, org.realm, {
      name: "Kitchen ÄÖ",
      subscribers: [me, org.owner, org.admin],
    });
    other = await channel(db, org.realm, { name: "42", subscribers: [me, org.owner] });
    gone = await user(db, org.realm);
    sent["soup"] = await post(gateway, org.owner, room, "Soup");
    sent["soup again"] = await post(gateway, me, room, "sOUP", "https://carillon.test is a link");
    sent["untitled"] = await post(gateway, org.admin, room, "");
    sent["done"] = await post(gateway, org.owner, room, "\u2714 Dishes");
    sent["number"] = await post(gateway, org.owner, other, "soup");
    sent["from gone"] = await write(gateway, gone, [me]);
    sent["to owner"] = await write(gateway, me, [org.owner]);
    sent["from owner"] = await write(gateway, org.owner, [me]);
    sent["group"] = await write(gateway, org.owner, [me, org.admin]);
    sent["note"] = await write(gateway, me, [me]);
    await write(gateway, org.owner, [org.admin]);
    await deactivateUser(db, gone);
  });

  const matching = async (...narrow: unknown[]) => {
    const ids = await idsFor(gateway, me, narrow);
    return ids.map((id) => names().find((name) => sent[name] === id) ?? id);
  };
  const refuses = async (code: string, ...narrow: unknown[]) => {
    const params = { anchor: "newest", num_before: 5, num_after: 5, narrow };
    const body = await refused(db, () => gateway.as(me).call(getMessages, { params }), code);
    const what = JSON.stringify([narrow, body]);
    if (code === "BAD_NARROW") expect(body, what).to.have.property("desc").that.is.a("string");
  };
  const inChannels = ["soup", "soup again", "untitled", "done", "number"];
  const direct = ["from gone", "to owner", "from owner", "group", "note"];

  it("match all messages that the caller received if empty", async () => {
    expect(await matching()).to.deep.equal(names());
  });

  it("accept a channel by ID or by name in any case", async () => {
    expect(await matching(term("channel", room.id))).to.deep.equal([
      "soup",
      "soup again",
      "untitled",
      "done",
    ]);
    expect(await matching(term("stream", "kitchen äö"))).to.deep.equal([
      "soup",
      "soup again",
      "untitled",
      "done",
    ]);
    expect(await matching(["channel", "KITCHEN ÄÖ"])).to.have.length(4);
    expect(await matching(term("channel", "42"))).to.deep.equal(["number"]);
    expect(await matching(term("channel", room.id, true))).to.deep.equal(["number", ...direct]);
    for (const unknown of ["nowhere", "", 0, -1, 999_999, 99_999_999_999, String(room.id)])
      await refuses("BAD_NARROW", term("channel", unknown));
    await refuses("BAD_REQUEST", term("channel", [room.id]));
  });

  it("match nothing for two channels at once", async () => {
    const body = await all(gateway, me, [term("channel", room.id), term("channel", other.id)]);
    expect(body).to.deep.include({
      messages: [],
      found_oldest: true,
      found_newest: true,
      found_anchor: false,
      anchor: 10_000_000_000_000_000,
    });
    await refuses("BAD_NARROW", term("channel", room.id), term("channel", "nowhere"));
  });

  it("accept kinds of channels", async () => {
    expect(await matching(term("channels", "public"))).to.deep.equal(inChannels);
    expect(await matching(term("streams", "public", true))).to.deep.equal(direct);
    expect(await matching(term("channels", "archived"))).to.deep.equal([]);
    expect(await matching(term("channels", "web-public"))).to.deep.equal([]);
    await refuses("BAD_NARROW", term("channels", "private"));
    await refuses("BAD_REQUEST", term("channels", 5));
  });

  it("accept topics in any case, and the empty one by its display name", async () => {
    expect(await matching(term("topic", "soup"))).to.deep.equal(["soup", "soup again", "number"]);
    expect(await matching(term("topic", "SOUP"), term("channel", room.id))).to.deep.equal([
      "soup",
      "soup again",
    ]);
    expect(await matching(term("topic", ""))).to.deep.equal(["untitled"]);
    expect(await matching(term("topic", "general chat"))).to.deep.equal(["untitled"]);
    expect(await matching(term("topic", "soup", true), term("channel", room.id))).to.deep.equal([
      "untitled",
      "done",
    ]);
    expect(await matching(term("topic", "\u0007"))).to.deep.equal([]);
    expect(await matching(term("topic", "nothing of that"))).to.deep.equal([]);
    await refuses("BAD_REQUEST", term("topic", 5));
  });

  it("accept direct conversations by all participants, with or without the caller", async () => {
    expect(await matching(term("dm", [org.owner.id]))).to.deep.equal(["to owner", "from owner"]);
    expect(await matching(term("pm-with", [me.id, org.owner.id]))).to.deep.equal([
      "to owner",
      "from owner",
    ]);
    expect(await matching(term("pm_with", org.owner.email.toUpperCase()))).to.deep.equal([
      "to owner",
      "from owner",
    ]);
    expect(await matching(term("dm", `${org.admin.email}, ${org.owner.email}`))).to.deep.equal([
      "group",
    ]);
    expect(await matching(term("dm", [me.id]))).to.deep.equal(["note"]);
    expect(await matching(term("dm", [gone.id]))).to.deep.equal(["from gone"]);
    expect(await matching(term("dm", [org.guest.id]))).to.deep.equal([]);
    expect(await matching(term("dm", []))).to.deep.equal([]);
    expect(await matching(term("dm", [org.owner.id], true), term("is", "dm"))).to.deep.equal([
      "from gone",
      "group",
      "note",
    ]);
    for (const unknown of [[999_999], [0], [99_999_999_999], "nobody@carillon.test", ""])
      await refuses("BAD_NARROW", term("dm", unknown));
    await refuses("BAD_REQUEST", term("dm", org.owner.id));
  });

  it("accept all direct messages with an account, or group conversations only", async () => {
    expect(await matching(term("dm-with", org.owner.id))).to.deep.equal([
      "to owner",
      "from owner",
      "group",
    ]);
    expect(await matching(term("dm-including", org.owner.email))).to.deep.equal([
      "to owner",
      "from owner",
      "group",
    ]);
    expect(await matching(term("dm-with", me.id))).to.deep.equal(direct);
    expect(await matching(term("group-pm-with", org.owner.id))).to.deep.equal(["group"]);
    expect(await matching(term("group_pm_with", org.guest.id))).to.deep.equal([]);
    await refuses("BAD_NARROW", term("dm-with", 999_999));
    await refuses("BAD_REQUEST", term("dm-with", [org.owner.id]));
  });

  it("accept senders by ID or by an address that the caller may see", async () => {
    expect(await matching(term("sender", org.admin.id))).to.deep.equal(["untitled"]);
    expect(await matching(term("sender", me.email))).to.deep.equal([
      "soup again",
      "to owner",
      "note",
    ]);
    expect(await matching(term("sender", me.id), term("channel", room.id))).to.deep.equal([
      "soup again",
    ]);
    expect(await matching(term("sender", gone.id))).to.deep.equal(["from gone"]);
    expect(await matching(term("sender", gone.email))).to.deep.equal(["from gone"]);
    expect(await matching(term("sender", org.notificationBot.id))).to.deep.equal([]);
    expect(await matching(term("sender", org.owner.id, true), term("is", "dm"))).to.deep.equal([
      "from gone",
      "to owner",
      "note",
    ]);
    const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
    const shown = await user(db, org.realm, { settings: { email_address_visibility: 2 } });
    expect(await matching(term("sender", hidden.email))).to.deep.equal([]);
    expect(await matching(term("sender", shown.deliveryEmail))).to.deep.equal([]);
    await refuses("BAD_NARROW", term("sender", hidden.deliveryEmail));
    for (const unknown of [999_999, -1, "nobody@carillon.test", "", String(me.id)])
      await refuses("BAD_NARROW", term("sender", unknown));
    const stranger = (await organization(db)).member;
    await refuses("BAD_NARROW", term("sender", stranger.id));
    await refuses("BAD_NARROW", term("dm", [stranger.id]));
  });

  it("accept message IDs", async () => {
    expect(await matching(term("id", sent["soup"]))).to.deep.equal(["soup"]);
    expect(await matching(term("id", String(sent["group"])))).to.deep.equal(["group"]);
    expect(await matching(term("id", 2_147_483_647))).to.deep.equal([]);
    for (const wrong of ["x", "", "1.5", -1, 2_147_483_648])
      await refuses("BAD_NARROW", term("id", wrong));
    expect(await matching(term("near", "5"))).to.deep.equal(names());
    expect(await matching(term("near", "5", true))).to.deep.equal(names());
  });

  it("match the caller's own flags", async () => {
    await leaveUnread(db, me, sent["soup"] ?? 0, sent["group"] ?? 0);
    await setFlags(db, me, 2, sent["done"] ?? 0);
    await setFlags(db, me, 8, sent["soup"] ?? 0);
    await setFlags(db, me, 16, sent["done"] ?? 0);
    await setFlags(db, me, 32, sent["number"] ?? 0);
    await setFlags(db, me, 64, sent["note"] ?? 0);
    expect(await matching(term("is", "unread"))).to.deep.equal(["soup", "group"]);
    expect(await matching(term("is", "unread"), term("channel", room.id))).to.deep.equal(["soup"]);
    expect(await matching(term("is", "unread"), term("sender", org.owner.id))).to.deep.equal([
      "soup",
      "group",
    ]);
    expect(await matching(term("is", "unread", true), term("is", "dm"))).to.deep.equal([
      "from gone",
      "to owner",
      "from owner",
      "note",
    ]);
    expect(await matching(term("is", "starred"))).to.deep.equal(["done"]);
    expect(await matching(term("is", "mentioned"))).to.deep.equal(["soup", "done", "number"]);
    expect(await matching(term("is", "alerted"))).to.deep.equal(["note"]);
  });

  it("match direct messages and resolved topics", async () => {
    expect(await matching(term("is", "dm"))).to.deep.equal(direct);
    expect(await matching(term("is", "private"))).to.deep.equal(direct);
    expect(await matching(term("is", "dm", true))).to.deep.equal(inChannels);
    expect(await matching(term("is", "resolved"))).to.deep.equal(["done"]);
    expect(await matching(term("is", "resolved", true), term("channel", room.id))).to.deep.equal([
      "soup",
      "soup again",
      "untitled",
    ]);
    for (const unknown of ["DM", "", "toString", "constructor"])
      await refuses("BAD_NARROW", term("is", unknown));
    await refuses("BAD_REQUEST", term("is", 1));
  });

  it("match muted and followed topics", async () => {
    await setTopicPolicy(db, me, room, "soup", "followed");
    await setTopicPolicy(db, me, other, "SOUP", "muted");
    await changeSubscription(db, room, me, { isMuted: true });
    expect(await matching(term("is", "muted"))).to.deep.equal(["untitled", "done", "number"]);
    expect(await matching(term("in", "home"))).to.deep.equal(["soup", "soup again", ...direct]);
    expect(await matching(term("in", "home", true))).to.deep.equal(["untitled", "done", "number"]);
    expect(await matching(term("is", "followed"))).to.deep.equal(["soup", "soup again"]);
    expect(await matching(term("in", "all"))).to.deep.equal(names());
    expect(await matching(term("in", "all", true))).to.deep.equal(names());
    await refuses("BAD_NARROW", term("in", "inbox"));
  });

  it("match messages with links", async () => {
    expect(await matching(term("has", "link"))).to.deep.equal(["soup again"]);
    expect(await matching(term("has", "link", true), term("channel", room.id))).to.deep.equal([
      "soup",
      "untitled",
      "done",
    ]);
    expect(await matching(term("has", "image"))).to.deep.equal([]);
    await refuses("BAD_NARROW", term("has", "colour"));
  });

  it("follow a message to its current conversation", async () => {
    const soup = sent["soup"];
    expect(
      await matching(term("channel", other.id), term("topic", "elsewhere"), term("with", soup)),
    ).to.deep.equal(["soup", "soup again"]);
    expect(await matching(term("with", String(soup)))).to.deep.equal(["soup", "soup again"]);
    expect(
      await matching(term("dm", [org.admin.id]), term("with", sent["to owner"])),
    ).to.deep.equal(["to owner", "from owner"]);
    expect(await matching(term("with", sent["note"]))).to.deep.equal(["note"]);
    expect(await matching(term("sender", me.id), term("with", soup))).to.deep.equal(["soup again"]);
    // An invisible message is ignored if the other terms name a conversation.
    const hidden = await write(gateway, org.owner, [org.admin]);
    expect(
      await matching(term("channel", room.id), term("topic", "soup"), term("with", hidden)),
    ).to.deep.equal(["soup", "soup again"]);
    expect(await matching(term("dm", [me.id]), term("with", 2_000_000_000))).to.deep.equal([
      "note",
    ]);
    await refuses("BAD_NARROW", term("with", hidden));
    await refuses("BAD_NARROW", term("channel", room.id), term("with", hidden));
    await refuses("BAD_NARROW", term("with", soup), term("with", soup));
    await refuses("BAD_NARROW", term("with", "soup"));
    await refuses("BAD_REQUEST", term("with", [soup]));
  });

  it("refuse channels combined with direct messages", async () => {
    const ofChannels = [
      term("channel", room.id),
      term("channels", "public"),
      term("topic", "soup"),
      term("is", "dm", true),
    ];
    const ofDirect = [
      term("dm", [org.owner.id]),
      term("dm-with", org.owner.id),
      term("group-pm-with", org.owner.id),
      term("is", "dm"),
    ];
    for (const one of ofChannels) for (const two of ofDirect) await refuses("BAD_NARROW", one, two);
    expect(await matching(term("channel", room.id, true), term("is", "dm"))).to.deep.equal(direct);
  });

  it("refuse unknown operators", async () => {
    for (const operator of ["color", "", "Channel", "constructor", "mention"])
      await refuses("BAD_NARROW", term(operator, "x"));
    await refuses("BAD_NARROW", term("has", "reactions"));
  });
});
