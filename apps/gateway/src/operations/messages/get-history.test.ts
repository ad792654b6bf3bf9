import {
  getMessage,
  getMessageHistory,
  getMessages,
  type EditHistoryEntry,
} from "@carillon/contract";
import {
  changeOrganization,
  channel,
  countQueries,
  organization,
  refused,
  refusedAlike,
  subscribe,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

import { post, write } from "../../test-support/reading-messages.ts";

describe("GET /messages/{message_id}/history", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let room: TestChannel;
  let before: TestChannel;
  beforeEach(async () => {
    org = await organization(db);
    room = await channel(db, org.realm, { subscribers: [org.member, org.guest] });
    before = await channel(db, org.realm, { subscribers: [org.member, org.guest] });
  });

  const get = (by: TestAccount, id: number | string, params = {}) =>
    gateway.as(by).call(getMessageHistory, { path: { message_id: id }, params });
  const history = async (by: TestAccount, id: number, params = {}) => {
    const { status, body } = await get(by, id, params);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.message_history;
  };
  const store = (id: number, ...entries: EditHistoryEntry[]) =>
    db.rows("UPDATE messages SET edit_history = $2 WHERE id = $1", [id, JSON.stringify(entries)]);
  const policy = (editHistoryPolicy: string) =>
    changeOrganization(db, org.realm, { editHistoryPolicy });
  const sentAt = async (id: number) =>
    (await gateway.as(org.member).succeed(getMessage, { path: { message_id: id } })).message
      .timestamp;

  const content = (timestamp: number, text: string): EditHistoryEntry => ({
    user_id: org.member.id,
    timestamp,
    prev_content: text,
    prev_rendered_content: `<p>${text}</p>`,
  });

  /** Sent as `one` in topic `a`; then `two`; then topic `b`; then `three` with a move to this channel. */
  const changed = async () => {
    const id = await post(gateway, org.member, room, "b", "three");
    await store(
      id,
      { ...content(400, "two"), prev_stream: before.id, stream: room.id },
      { user_id: org.admin.id, timestamp: 300, prev_topic: "a", topic: "b" },
      content(200, "one"),
    );
    return id;
  };

  it("contains the sent message if nothing has changed", async () => {
    for (const [id, topic] of [
      [await post(gateway, org.member, room, "lunch", "*soup*"), "lunch"],
      [await write(gateway, org.member, [org.guest], "*soup*"), ""],
    ] as const)
      expect(await history(org.guest, id)).to.deep.equal([
        {
          timestamp: await sentAt(id),
          user_id: org.member.id,
          topic,
          content: "*soup*",
          rendered_content: "<p><em>soup</em></p>",
        },
      ]);
  });

  it("contains each change with the state at that time, oldest first", async () => {
    const id = await changed();
    const one = { content: "one", rendered_content: "<p>one</p>" };
    const two = { content: "two", rendered_content: "<p>two</p>" };
    const diff = (before: string, after: string) =>
      `<p><span class="highlight_text_deleted">${before}</span>` +
      `<span class="highlight_text_inserted">${after}</span></p>`;
    const [member, admin] = [{ user_id: org.member.id }, { user_id: org.admin.id }];
    expect(await history(org.owner, id)).to.deep.equal([
      { timestamp: await sentAt(id), ...member, topic: "a", ...one },
      {
        timestamp: 200,
        ...member,
        topic: "a",
        ...two,
        prev_content: "one",
        prev_rendered_content: "<p>one</p>",
        content_html_diff: diff("one", "two"),
      },
      { timestamp: 300, ...admin, topic: "b", ...two, prev_topic: "a" },
      {
        timestamp: 400,
        ...member,
        topic: "b",
        content: "three",
        rendered_content: "<p>three</p>",
        prev_content: "two",
        prev_rendered_content: "<p>two</p>",
        content_html_diff: diff("two", "three"),
        prev_stream: before.id,
        stream: room.id,
      },
    ]);
  });

  it("contains only moves, without earlier content, if the organization's policy says so", async () => {
    const id = await changed();
    await policy("moves");
    const moments = await history(org.owner, id);
    expect(moments.map(({ timestamp, topic }) => [timestamp, topic]).slice(1)).to.deep.equal([
      [300, "b"],
      [400, "b"],
    ]);
    expect(moments.map(({ content: text }) => text)).to.deep.equal(["three", "three", "three"]);
    expect(JSON.stringify(moments)).not.to.match(/one|two|diff/);
    expect(moments[0]).to.include({ topic: "a", user_id: org.member.id });
    expect(moments[2]).to.include({ prev_stream: before.id, stream: room.id });
  });

  it("is refused if the organization's policy allows no history", async () => {
    const id = await changed();
    await policy("none");
    await refused(db, () => get(org.owner, id), "BAD_REQUEST", {});
  });

  it("shows the empty topic under its display name to clients without support for empty topics", async () => {
    await changeOrganization(db, org.realm, { emptyTopicDisplayName: "misc" });
    const id = await post(gateway, org.member, room, "b");
    await store(id, { user_id: 1, timestamp: 300, prev_topic: "", topic: "b" });
    const topics = async (params = {}) =>
      (await history(org.member, id, params)).map(({ topic, prev_topic }) => [topic, prev_topic]);
    expect(await topics()).to.deep.equal([
      ["misc", undefined],
      ["b", "misc"],
    ]);
    expect(await topics({ allow_empty_topic_name: true })).to.deep.equal([
      ["", undefined],
      ["b", ""],
    ]);
  });

  it("shows old names and markup as text", async () => {
    const id = await post(gateway, org.member, room, "b", "new");
    await store(id, {
      ...content(200, "<script>"),
      prev_rendered_content: "<p>&lt;script&gt;</p>",
    });
    const [, moment] = await history(org.member, id);
    expect(moment?.content_html_diff).to.equal(
      '<p><span class="highlight_text_deleted">&lt;script&gt;</span><span class="highlight_text_inserted">new</span></p>',
    );
  });

  it("is refused for messages that do not exist or are hidden from the caller", async () => {
    const secret = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    const before = await post(gateway, org.owner, secret);
    await subscribe(db, secret, org.member);
    const direct = await write(gateway, org.owner, [org.guest]);
    const hidden = [before, direct, 0, 2 ** 31, 2 ** 53 - 1, "9007199254740993"];
    await refusedAlike(db, hidden, (id) => get(org.member, id));
    const id = await post(gateway, org.member, room);
    await refused(db, () => get(org.member, id, { allow_empty_topic_name: "1" }), "BAD_REQUEST");
    await refused(
      db,
      () => gateway.anonymous.get(`/api/v1/messages/${id}/history`),
      "UNAUTHORIZED",
    );
  });

  it("runs the same number of statements for any number of changes", async () => {
    const id = await post(gateway, org.member, room);
    const count = async () => (await countQueries(db, () => history(org.member, id))).count;
    const none = await count();
    await store(id, ...Array.from({ length: 20 }, (_, i) => content(100 - i, `text ${i}`)));
    expect(await count()).to.equal(none);
  });

  describe("in GET /messages", () => {
    it("is part of the message, restricted by the policy, with all times", async () => {
      const id = await changed();
      const times = { last_edit_timestamp: 400, last_moved_timestamp: 400 };
      const expected: ReadonlyArray<[string, (entries: unknown) => void]> = [
        ["all", (entries) => expect(entries).to.have.length(3)],
        ["moves", (entries) => expect(JSON.stringify(entries)).not.to.match(/content/)],
        ["none", (entries) => expect(entries).to.equal(undefined)],
      ];
      for (const [name, check] of expected) {
        await policy(name);
        const params = { message_ids: [id], narrow: [] };
        const { messages } = await gateway.as(org.member).succeed(getMessages, { params });
        const one = await gateway.as(org.member).succeed(getMessage, { path: { message_id: id } });
        expect(one.message).to.deep.equal(messages[0]);
        expect(one.message).to.include(times);
        check(one.message.edit_history);
      }
    });

    it("is absent if nothing has changed", async () => {
      const id = await post(gateway, org.member, room);
      const { message } = await gateway
        .as(org.member)
        .succeed(getMessage, { path: { message_id: id } });
      expect(message).not.to.have.any.keys(
        "edit_history",
        "last_edit_timestamp",
        "last_moved_timestamp",
      );
    });
  });
});
