import {
  channel,
  crowd,
  organization,
  pastMessages,
  rowsRead,
  subscribe,
  useDatabase,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { move } from "./archive-messages.ts";

describe("the statement that moves messages to the archive", () => {
  const db = useDatabase();
  const messages = 1_000;
  const people = 11;

  /**
   * Returns how many rows of a part of the statement are read when the channel's messages are moved, while half of the
   * holders can see them.
   */
  async function readOf(part: string): Promise<number> {
    const org = await organization(db);
    const room: TestChannel = await channel(db, org.owner, { subscribers: [org.member] });
    const others = await crowd(db, org.member, people - 1);
    await subscribe(db, room, ...others);
    const ids = await pastMessages(db, room, org.member, { count: messages });
    const seeing = others.slice(0, 5).map(({ id }) => id);
    const values = [org.realm.id, 1, ids, [], [room.recipientId], [`{${seeing.join(",")}}`]];
    const { read } = await rowsRead(db, move, values, part);
    const left = await db.rows("SELECT FROM user_messages WHERE message_id = ANY($1::bigint[])", [
      ids,
    ]);
    expect(left).to.deep.equal([]);
    await db.rows("TRUNCATE archived_messages");
    return read;
  }

  for (const [part, each] of [
    ["gone", 1],
    ["held", people],
    ["copy", people],
    ["packed", 1],
  ] as const)
    it(`reads ${part} a constant number of times, not once for each row of another part`, async () => {
      expect(await readOf(part)).to.be.within(messages * each, 6 * messages * each);
    });

  it("reads accounts that could not see the messages a constant number of times, not once for each copy", async () => {
    expect(await readOf("blind")).to.be.within(1, 6 * people);
  });
});
