import { deleteTopic } from "@carillon/contract";
import { channel, pastMessages, useScene, type TestChannel } from "@carillon/testkit";
import { expect } from "chai";

import { purgeArchive } from "./archive-messages.ts";

describe("Purging removed messages", () => {
  const scene = useScene();
  const { db } = scene;
  let room: TestChannel;
  beforeEach(async () => {
    await db.rows("TRUNCATE message_removals, archived_messages");
    room = await channel(db, scene.org.owner);
  });

  /** Makes a run that ended this long ago. */
  async function removed(count: number, ago: string): Promise<void> {
    await pastMessages(db, room, scene.org.owner, { count, daysAgo: 90, holders: [] });
    await scene.as(scene.org.admin).succeed(deleteTopic, {
      path: { stream_id: room.id },
      params: { topic_name: "lunch" },
    });
    await db.rows(
      `UPDATE message_removals SET began_at = now() - $1::interval, ended_at = now() - $1::interval
       WHERE id = (SELECT max(id) FROM message_removals)`,
      [ago],
    );
  }
  const purge = (size: number) => db.transaction((tx) => purgeArchive(tx, size));
  const kept = () =>
    db.rows<{ messages: number }>(
      `SELECT (SELECT count(*)::int FROM archived_messages WHERE removal_id = r.id) AS messages
       FROM message_removals r ORDER BY ended_at`,
    );

  it("deletes messages that were removed more than 30 days ago", async () => {
    await removed(2, "30 days 1 minute");
    await removed(3, "29 days 23 hours 59 minutes");
    expect(await purge(10)).to.deep.equal({ messages: 2, more: false });
    expect(await kept()).to.deep.equal([{ messages: 3 }]);
    expect(await purge(10)).to.deep.equal({ messages: 0, more: false });
  });

  it("deletes at most the given number of messages, and a run's row with its last message", async () => {
    await removed(5, "40 days");
    expect(await purge(2)).to.deep.equal({ messages: 2, more: true });
    expect(await purge(2)).to.deep.equal({ messages: 2, more: true });
    expect(await kept()).to.deep.equal([{ messages: 1 }]);
    expect(await purge(2)).to.deep.equal({ messages: 1, more: false });
    expect(await kept()).to.deep.equal([]);
  });

  it("deletes many small runs at once", async () => {
    for (let n = 0; n < 3; n++) await removed(1, "40 days");
    const taken: number[] = [];
    for (let more = true; more;) {
      const purged = await purge(2);
      taken.push(purged.messages);
      ({ more } = purged);
    }
    expect(taken).to.deep.equal([2, 0, 1]);
    expect(await kept()).to.deep.equal([]);
  });
});
