import { getMessages } from "@carillon/contract";
import {
  channel,
  deliverNow,
  inChannel,
  scheduledMessage,
  type TestAccount,
  type TestChannel,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

// messages.md §6.7
describe("the delivery of polls and to-do lists", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  before(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.guest] });
  });

  it("creates widgets for some messages of a batch", async () => {
    const { db, org } = scene;
    const contents = ["one", "/poll Soup?\nPea", "two", "/todo Bread\nbake: soon", "three"];
    const ids: number[] = [];
    for (const content of contents)
      ids.push((await scheduledMessage(db, sender, room, { content })).id);
    const received = await watch(scene.gateway, { guest: { account: org.guest } }, () =>
      deliverNow(db, org.realm, ids),
    );
    const params = { anchor: "oldest", num_before: 0, num_after: 9, narrow: inChannel(room.id) };
    const { messages } = await scene
      .as(org.guest)
      .succeed(getMessages, { params: { ...params, apply_markdown: false } });
    expect(messages.map(({ content }) => content)).to.have.members(contents);
    const widgets = new Map(
      messages.map(({ content, submessages }) => [
        content,
        submessages.map((each) => JSON.parse(each.content) as unknown),
      ]),
    );
    expect(contents.map((content) => widgets.get(content))).to.deep.equal([
      [],
      [{ widget_type: "poll", extra_data: { question: "Soup?", options: ["Pea"] } }],
      [],
      [
        {
          widget_type: "todo",
          extra_data: { task_list_title: "Bread", tasks: [{ task: "bake", desc: "soon" }] },
        },
      ],
      [],
    ]);
    for (const { id, submessages } of messages)
      for (const each of submessages)
        expect(each).to.include({ message_id: id, sender_id: sender.id, msg_type: "widget" });
    const heard = received.guest.flatMap(({ type, ...event }) =>
      type === "message" ? [event["message"] as (typeof messages)[number]] : [],
    );
    expect(heard.map(({ id, submessages }) => [id, submessages])).to.deep.equal(
      messages.map(({ id, submessages }) => [id, submessages]),
    );
  });
});
