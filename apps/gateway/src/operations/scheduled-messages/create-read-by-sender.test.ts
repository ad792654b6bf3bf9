import {
  channel,
  channelMessage,
  deliverNow,
  directMessage,
  inChannel,
  messagesOf,
  type Params,
  scheduledMessagesPath,
  storedRow,
  succeeded,
  type TestChannel,
  useScene,
  withAgent,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

/** User-Agents and the client names derived from them (http-contract.md §9), with whether they are interactive. */
const agents: ReadonlyArray<readonly [agent: string, client: string, people: boolean]> = [
  ["ZulipMobile/flutter/1.0 (Android 14)", "ZulipMobile", true],
  ["ZulipElectron/5.9.3 Mozilla/5.0", "ZulipElectron", true],
  ["ZulipDesktop/1", "ZulipDesktop", true],
  ["ZulipAndroid/1.0", "ZulipAndroid", true],
  ["ZulipiOS 3", "ZulipiOS", true],
  ["ZulipTerminal/0.7.0 (Linux)", "ZulipTerminal", true],
  ["Snipe", "Snipe", true],
  ["website", "website", true],
  ["iOS/17", "iOS", true],
  ["ANDROID", "ANDROID", true],
  ["ZulipFlutter/0.0.15+15 (Android 14)", "ZulipFlutter", false],
  ["ZulipPython/0.9.0 (Linux)", "ZulipPython", false],
  ["Mozilla/5.0 (X11)", "Mozilla", false],
  ["node", "node", false],
  ["ZulipMobileX/1", "ZulipMobileX", false],
];

describe("read_by_sender of a scheduled message", () => {
  const scene = useScene();
  let room: TestChannel;
  before(async () => {
    const { org } = scene;
    room = await channel(scene.db, org.realm, { subscribers: [org.member, org.guest] });
  });

  const stored = async (agent: string, params: Params) => {
    const post = withAgent(scene.as(scene.org.member), agent);
    const id = succeeded(await post(scheduledMessagesPath, params))[
      "scheduled_message_id"
    ] as number;
    return { id, row: await storedRow(scene.db, id) };
  };

  for (const [agent, client, readBySender] of agents) {
    it(`defaults to ${readBySender} for ${client}`, async () => {
      const { guest } = scene.org;
      for (const params of [channelMessage(room.id), directMessage([guest.id])]) {
        expect((await stored(agent, params)).row).to.include({ client, readBySender });
      }
    });

    it(`uses the request's value for ${client}`, async () => {
      const said = !readBySender;
      const { row } = await stored(agent, channelMessage(room.id, { read_by_sender: said }));
      expect(row?.readBySender).to.equal(said);
    });
  }

  it("defaults to false for a note to oneself with any client", async () => {
    const { member } = scene.org;
    for (const [agent] of agents) {
      expect((await stored(agent, directMessage([member.id]))).row?.readBySender).to.equal(false);
    }
    const read = directMessage([member.id], { read_by_sender: true });
    expect((await stored("node", read)).row?.readBySender).to.equal(true);
  });

  it("follows a client named by a parameter", async () => {
    const { row } = await stored("node", channelMessage(room.id, { client: "website" }));
    expect(row).to.include({ client: "website", readBySender: true });
    const other = await stored("website", channelMessage(room.id, { client: "my script" }));
    expect(other.row).to.include({ client: "my script", readBySender: false });
  });

  it("sets the sender's flags when the message is sent, and nothing else", async () => {
    const { member, guest, realm } = scene.org;
    const read = await stored("website", channelMessage(room.id, { content: "read" }));
    const unread = await stored("node", channelMessage(room.id, { content: "unread" }));
    await deliverNow(scene.db, realm, [read.id, unread.id]);
    const own = await messagesOf(scene.as(member), inChannel(room.id));
    expect(own.map(({ content, flags, client }) => ({ content, flags, client }))).to.deep.equal([
      { content: "read", flags: ["read"], client: "website" },
      { content: "unread", flags: [], client: "node" },
    ]);
    const others = await messagesOf(scene.as(guest), inChannel(room.id));
    expect(others.map(({ flags }) => flags)).to.deep.equal([[], []]);
  });

  it("leaves a note to oneself unread by default when it is sent", async () => {
    const { member, realm } = scene.org;
    const note = await stored("website", directMessage([member.id], { content: "note" }));
    const known = directMessage([member.id], { content: "known", read_by_sender: true });
    const done = await stored("node", known);
    await deliverNow(scene.db, realm, [note.id, done.id]);
    const notes = await messagesOf(scene.as(member), withUsers(member.id));
    expect(notes.map(({ content, flags }) => ({ content, flags }))).to.deep.equal([
      { content: "note", flags: [] },
      { content: "known", flags: ["read"] },
    ]);
  });
});
