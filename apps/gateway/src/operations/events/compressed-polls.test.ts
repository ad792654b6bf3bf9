import { getEvents } from "@carillon/contract";
import {
  channel,
  send,
  snapshotOf,
  toChannel,
  useScene,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

// http-contract.md §2.1
describe("Polls of clients that accept compressed answers", () => {
  const scene = useScene();
  let room: TestChannel;
  before(async () => {
    const { member, owner, realm } = scene.org;
    room = await channel(scene.db, realm, { subscribers: [member, owner] });
  });

  /** Registers a queue for one type of event. @returns a function that polls it */
  const pollsOf = async (type: string) => {
    const client = scene.as(scene.org.owner);
    const { queue_id, last_event_id } = await snapshotOf(client, [], { event_types: [type] });
    return async () => {
      const params = { queue_id, last_event_id };
      const headers = { "accept-encoding": "gzip, br" };
      const answer = await client.call(getEvents, { params, headers });
      return { events: answer.body.events, coding: answer.headers.get("content-encoding") };
    };
  };

  it("are answered as soon as an event comes, compressed if it is large", async () => {
    const member = scene.as(scene.org.member);
    for (const [content, coding] of [
      ["a line", null],
      ["many lines\n".repeat(300), "gzip"],
    ] as const) {
      const poll = await pollsOf("message");
      const polling = poll();
      await send(member, toChannel(room.id, { content }));
      const found = await polling;
      expect(found.coding).to.equal(coding);
      expect(found.events.map(({ type }) => type)).to.deep.equal(["message"]);
    }
  });
});
