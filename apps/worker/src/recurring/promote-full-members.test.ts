import { startTask } from "@carillon/scheduling";
import { captureLog, eventsOf, organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import promoteFullMembersTask from "./promote-full-members.ts";

describe("the task that promotes full members", () => {
  const db = useDatabase();

  it("promotes each account once, and logs it once", async () => {
    const org = await organization(db, { row: { waitingPeriodThreshold: 2 } });
    await db.rows("UPDATE users SET date_joined = now() - interval '2 days' WHERE id = $1", [
      org.member.id,
    ]);
    const { log, lines } = captureLog();
    const { events } = await eventsOf(db, org.realm.id, async () => {
      const promotions = startTask(promoteFullMembersTask, { db, log });
      await promotions.run();
      await promotions.run();
      await promotions.stop();
    });
    expect(events.map(({ op, payload }) => [op, payload])).to.deep.equal([
      ["add_members", { group_id: org.groups["role:fullmembers"], user_ids: [org.member.id] }],
    ]);
    expect(lines.filter(({ msg }) => msg === "promoted full members")).to.have.length(1);
  });
});
