import {
  addSubmessage,
  getMessage,
  getMessages,
  sendMessage,
  updateMessage,
} from "@carillon/contract";
import {
  channel,
  refused,
  type TestAccount,
  type TestChannel,
  useScene,
  user,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

// messages.md §6.7
describe("Widgets", () => {
  const scene = useScene();
  const { db } = scene;
  let author: TestAccount;
  let reader: TestAccount;
  let room: TestChannel;

  before(async () => {
    [author, reader] = [await user(db, scene.org.realm), await user(db, scene.org.realm)];
    room = await channel(db, scene.org.realm, { subscribers: [author, reader, scene.org.guest] });
  });

  const target = () => ({ type: "channel", to: room.id, topic: "lunch" });
  const send = async (content: string, more: object = {}, by = author) => {
    const params = { ...target(), content, ...more };
    return (await scene.as(by).succeed(sendMessage, { params })).id;
  };
  const submessagesOf = async (id: number, by = reader) => {
    const { message } = await scene.as(by).succeed(getMessage, { path: { message_id: id } });
    return message.submessages;
  };
  const contentsOf = async (id: number) =>
    (await submessagesOf(id)).map(({ content }) => JSON.parse(content) as unknown);
  const submit = (by: TestAccount, message_id: number, data: unknown) => {
    const params = { message_id, msg_type: "widget", content: JSON.stringify(data) };
    return scene.as(by).call(addSubmessage, { params });
  };
  const accepted = async (by: TestAccount, id: number, data: unknown) => {
    const { status, body } = await submit(by, id, data);
    expect(status, JSON.stringify([data, body])).to.equal(200);
  };
  const refusal = async (by: TestAccount, id: number, data: unknown) =>
    (await refused(db, () => submit(by, id, data), "BAD_REQUEST", {})).msg;
  const poll = { widget_type: "poll", extra_data: { question: "Soup?", options: ["Pea", "Leek"] } };

  it("are created by /poll, in the event and for all readers", async () => {
    let id = 0;
    const received = await watch(
      scene.gateway,
      { own: { account: author }, other: { account: reader } },
      async () => {
        id = await send("/poll Soup?\n- Pea\n- Leek");
      },
    );
    const [submessage, ...more] = await submessagesOf(id);
    expect(more).to.deep.equal([]);
    expect({ ...submessage, content: JSON.parse(submessage?.content ?? "") }).to.deep.include({
      message_id: id,
      sender_id: author.id,
      msg_type: "widget",
      content: poll,
    });
    for (const events of [received.own, received.other]) {
      const [event] = events.filter(({ type }) => type === "message");
      expect(event?.["message"]).to.deep.include({ id, submessages: [submessage] });
      expect(events.filter(({ type }) => type === "submessage")).to.deep.equal([]);
    }
    const { messages } = await scene
      .as(reader)
      .succeed(getMessages, { params: { message_ids: [id] } });
    expect(messages[0]?.submessages).to.deep.equal([submessage]);
    expect(messages[0]?.content).to.contain("/poll Soup?");
  });

  it("are created by /todo, in a direct message too", async () => {
    const direct = { type: "direct", to: [reader.id], topic: undefined };
    expect(await contentsOf(await send("/todo Today\nTask 1: soon\nTask 2", direct))).to.deep.equal(
      [
        {
          widget_type: "todo",
          extra_data: {
            task_list_title: "Today",
            tasks: [
              { task: "Task 1", desc: "soon" },
              { task: "Task 2", desc: "" },
            ],
          },
        },
      ],
    );
  });

  it("are not created by other messages or by edits", async () => {
    const id = await send("use /poll");
    expect(await submessagesOf(id)).to.deep.equal([]);
    await scene
      .as(author)
      .succeed(updateMessage, { path: { message_id: id }, params: { content: "/poll Late?" } });
    expect(await submessagesOf(id)).to.deep.equal([]);
  });

  it("accept votes and options from all readers of the message, with events", async () => {
    const id = await send("/poll Soup?\nPea");
    const vote = { type: "vote", key: "canned,0", vote: 1 };
    const received = await watch(scene.gateway, { author: { account: author } }, () =>
      accepted(reader, id, vote),
    );
    expect(received.author).to.have.length(1);
    expect(received.author[0]).to.deep.include({
      type: "submessage",
      msg_type: "widget",
      message_id: id,
      sender_id: reader.id,
      content: JSON.stringify(vote),
    });
    const option = { type: "new_option", idx: 1_000, option: "Leek" };
    await accepted(scene.org.guest, id, option);
    await accepted(author, id, { type: "new_option", idx: 0, option: "" });
    await accepted(reader, id, { ...vote, vote: -1 });
    expect((await contentsOf(id)).slice(1, 3)).to.deep.equal([vote, option]);
    const outsider = await user(db, scene.org.realm);
    const direct = await send("/poll Us?", { type: "direct", to: [reader.id], topic: undefined });
    await accepted(reader, direct, vote);
    await refusal(outsider, direct, vote);
  });

  it("refuse malformed poll data, and accept a new question from the author only", async () => {
    const id = await send("/poll Soup?\nPea");
    const question = { type: "question", question: "Salad?" };
    await accepted(author, id, question);
    expect(await refusal(reader, id, question)).to.contain("only by the sender of the message");
    for (const wrong of [
      null,
      1,
      [],
      {},
      { type: 1 },
      { type: "poll" },
      { type: "strike", key: "x" },
      { type: "constructor" },
      { type: "vote", key: "canned,0" },
      { type: "vote", key: "canned,0", vote: 0 },
      { type: "vote", key: "canned,0", vote: 2 },
      { type: "vote", key: "canned,0", vote: "1" },
      { type: "vote", key: 1, vote: 1 },
      { type: "vote", key: "canned,0", vote: 1, more: 1 },
      { type: "new_option", idx: -1, option: "x" },
      { type: "new_option", idx: 1_001, option: "x" },
      { type: "new_option", idx: 1.5, option: "x" },
      { type: "new_option", idx: 1 },
      { type: "question" },
    ])
      expect(await refusal(author, id, wrong), JSON.stringify(wrong)).to.contain("poll");
    expect(await contentsOf(id)).to.have.length(2);
  });

  it("accept tasks and completions from all readers, and a new title from the author of a to-do list only", async () => {
    const id = await send("/todo\nbuy bread");
    const task = { type: "new_task", key: 1, task: "bake", desc: "", completed: false };
    await accepted(reader, id, task);
    await accepted(scene.org.guest, id, { type: "strike", key: `1,${reader.id}` });
    const title = { type: "new_task_list_title", title: "Bread" };
    await accepted(author, id, title);
    expect(await refusal(reader, id, title)).to.contain("only by the sender of the message");
    for (const wrong of [
      { ...task, key: 1_001 },
      { ...task, key: "1" },
      { ...task, completed: "no" },
      { ...task, desc: undefined },
      { type: "strike", key: 1 },
      { type: "strike" },
      { type: "vote", key: "canned,0", vote: 1 },
    ])
      expect(await refusal(author, id, wrong), JSON.stringify(wrong)).to.contain("todo");
  });

  it("have the type of the first submessage, whatever client sends it", async () => {
    const id = await send("plain");
    await accepted(author, id, poll);
    await accepted(reader, id, { type: "vote", key: "canned,1", vote: 1 });
    await refusal(reader, id, { type: "vote", key: "canned,1", vote: 3 });
    const other = await send("plain");
    await accepted(author, other, { widget_type: "crossword" });
    await accepted(reader, other, { type: "anything" });
  });

  it("refuse edits of the content, and allow moves", async () => {
    const id = await send("/poll Soup?\nPea");
    await accepted(reader, id, { type: "vote", key: "canned,0", vote: 1 });
    const before = await submessagesOf(id);
    const edit = (params: Readonly<Record<string, unknown>>) =>
      scene.as(author).call(updateMessage, { path: { message_id: id }, params });
    const { msg } = await refused(db, () => edit({ content: "/poll Salad?" }), "BAD_REQUEST", {});
    expect(msg).to.contain("widget");
    expect((await edit({ topic: "dinner", propagate_mode: "change_one" })).status).to.equal(200);
    expect(await submessagesOf(id)).to.deep.equal(before);
    await accepted(reader, id, { type: "vote", key: "canned,0", vote: -1 });
  });

  describe("in widget_content", () => {
    const form = (more: object = {}, extra: object = {}) => ({
      widget_type: "zform",
      extra_data: {
        type: "choices",
        heading: "Which?",
        choices: [{ type: "multiple_choice", short_name: "A", long_name: "first", reply: "1" }],
        ...extra,
      },
      ...more,
    });

    it("are stored as sent, whatever the content", async () => {
      expect(await contentsOf(await send("plain", { widget_content: form() }))).to.deep.equal([
        form(),
      ]);
      expect(await contentsOf(await send("/poll Soup?", { widget_content: form() }))).to.deep.equal(
        [form()],
      );
    });

    it("are refused if they are not a form with choices", async () => {
      for (const widget_content of [
        "{{{",
        "5",
        "null",
        JSON.stringify({}),
        JSON.stringify({ widget_type: "zform" }),
        JSON.stringify(form({ widget_type: "poll" })),
        JSON.stringify(form({ extra_data: 4 })),
        JSON.stringify(form({}, { type: "bogus" })),
        JSON.stringify(form({}, { heading: 1 })),
        JSON.stringify(form({}, { choices: 99 })),
        JSON.stringify(form({}, { choices: [99] })),
        JSON.stringify(form({}, { choices: [{ long_name: "foo", reply: "bar" }] })),
      ]) {
        const params = { ...target(), content: "plain", widget_content };
        const ask = () => scene.as(author).post("/api/v1/messages", params);
        expect((await refused(db, ask, "BAD_REQUEST", {})).msg).to.contain("widget_content");
      }
    });

    it("have 30,000 characters at most", async () => {
      const room = 30_000 - JSON.stringify(form({}, { heading: "" })).length;
      const long = (length: number) => form({}, { heading: "x".repeat(length) });
      await send("plain", { widget_content: long(room) });
      const params = { ...target(), content: "plain", widget_content: long(room + 1) };
      const ask = () => scene.as(author).call(sendMessage, { params });
      expect((await refused(db, ask, "BAD_REQUEST", {})).msg).to.contain("30000 characters");
    });
  });

  it("are refused without sending the message if the list is too long", async () => {
    const params = { ...target(), content: `/todo\n${"a\n".repeat(2_000)}` };
    const ask = () => scene.as(author).call(sendMessage, { params });
    expect((await refused(db, ask, "BAD_REQUEST", {})).msg).to.contain("30000 characters");
  });
});
