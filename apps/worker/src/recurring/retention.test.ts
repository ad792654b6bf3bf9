import { readCounters, startTask } from "@carillon/scheduling";
import { captureLog, channel, organization, pastMessages, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import clearArchiveTask from "./clear-archive.ts";
import retentionTask from "./retention.ts";

describe("the worker's retention task", () => {
  const db = useDatabase();

  it("counts removed messages, logs them once, and deletes them permanently after 30 days", async () => {
    const { owner } = await organization(db);
    const room = await channel(db, owner, { row: { messageRetentionDays: 2 } });
    await pastMessages(db, room, owner, { count: 3, daysAgo: 3 });
    const { log, lines } = captureLog();
    const [retention, clearing] = [retentionTask, clearArchiveTask].map((task) =>
      startTask(task, { db, log }),
    );
    for (let run = 0; run < 2; run++) {
      await retention?.run();
      await clearing?.run();
    }
    const archived = async () => (await db.rows("SELECT FROM archived_messages")).length;
    expect(await archived()).to.equal(3);
    await db.rows("UPDATE message_removals SET ended_at = now() - interval '31 days'");
    await clearing?.run();
    expect(await archived()).to.equal(0);
    await retention?.stop();
    await clearing?.stop();
    expect((await readCounters(db)).get("retention_removals")).to.equal(3);
    expect(lines.map(({ msg, messages }) => [msg, messages])).to.deep.equal([
      ["removed messages past their retention", 3],
      ["purged removed messages", 3],
    ]);
  });
});
