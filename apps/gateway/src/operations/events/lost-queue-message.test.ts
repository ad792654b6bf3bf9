import { deleteEventQueue, getEvents } from "@carillon/contract";
import { refused, useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("The error for an unknown event queue", () => {
  const scene = useScene();
  const queue_id = "1e2a2b3c-0000-4000-8000-000000000000";
  const messages = async (agent: string) => {
    const client = scene.as(scene.org.member);
    const headers = { "User-Agent": agent };
    const poll = () => client.call(getEvents, { params: { queue_id, last_event_id: 1 }, headers });
    const drop = () => client.call(deleteEventQueue, { params: { queue_id }, headers });
    const found: string[] = [];
    for (const ask of [poll, drop])
      found.push((await refused(scene.db, ask, "BAD_EVENT_QUEUE_ID", { queue_id })).msg);
    return found;
  };

  it("has the spelling that current clients compare", async () => {
    for (const agent of ["ZulipMobile/30.0.1 (Android 14)", "ZulipPython/0.9.1 (Linux)", "node"])
      expect(await messages(agent), agent).to.deep.equal([
        `Bad event queue ID: ${queue_id}`,
        `Bad event queue ID: ${queue_id}`,
      ]);
  });

  it("has the spelling that the terminal client compares", async () => {
    // The terminal client registers again only if the message begins like this.
    for (const msg of await messages("ZulipTerminal/0.7.0 Linux-6.1 (Debian GNU/Linux; 12)"))
      expect(msg).to.equal(`Bad event queue id: ${queue_id}`);
  });
});
