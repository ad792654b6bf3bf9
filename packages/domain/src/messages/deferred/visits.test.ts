import {
  channel,
  organization,
  type TestAccount,
  type TestChannel,
  useBlocker,
  useDatabase,
  user,
} from "@carillon/testkit";
import { expect } from "chai";
import { recordVisits } from "./visits.ts";

describe("visits", () => {
  const db = useDatabase();
  const blocker = useBlocker(db);
  let people: TestAccount[];
  let room: TestChannel;

  beforeEach(async () => {
    const org = await organization(db);
    people = [await user(db, org.realm), await user(db, org.realm), await user(db, org.realm)];
    room = await channel(db, org.realm, { subscribers: people });
  });

  const idsOf = () => people.map(({ id }) => id);
  const deferral = `UPDATE subscriptions SET deferred_after = 0 WHERE channel_id = $1 AND user_id = $2`;
  /** The versions of the rows with the visits, by account. */
  const written = () =>
    db.rows<{ id: number; version: string }>(
      "SELECT user_id AS id, xmin::text AS version FROM account_visits WHERE user_id = ANY($1) ORDER BY 1",
      [idsOf()],
    );
  const age = (interval: string) =>
    db.rows("UPDATE account_visits SET visited_at = now() - $2::interval WHERE user_id = ANY($1)", [
      idsOf(),
      interval,
    ]);

  it("are recorded for several people at once, and tell who has deferred copies, in their order", async () => {
    await db.rows(deferral, [room.id, people[1]?.id]);
    const backwards = idsOf().toReversed();
    expect(await recordVisits(db, [...backwards, -1])).to.deep.equal([false, true, false, false]);
    expect((await written()).map(({ id }) => id)).to.deep.equal(idsOf());
  });

  it("are written again after half an hour, and not before", async () => {
    await recordVisits(db, idsOf());
    await age("29 minutes");
    const before = await written();
    await recordVisits(db, idsOf());
    expect(await written()).to.deep.equal(before);
    await age("31 minutes");
    const later = await written();
    await recordVisits(db, idsOf());
    for (const [index, { version }] of (await written()).entries())
      expect(version).not.to.equal(later[index]?.version);
  });

  it("wait for a run that defers copies, and see what it has deferred", async () => {
    await recordVisits(db, idsOf());
    await age("1 day");
    const [first] = idsOf();
    await blocker.lock("SELECT FROM account_visits WHERE user_id = $1 FOR NO KEY UPDATE", [first]);
    await blocker.lock(deferral, [room.id, first]);
    const recorded = recordVisits(db, idsOf());
    await blocker.untilWaiting(1, "the visit waits");
    await blocker.lock("COMMIT");
    expect(await recorded).to.deep.equal([true, false, false]);
  });

  it("of the same people in two orders do not deadlock", async () => {
    await recordVisits(db, idsOf());
    await age("1 day");
    const last = idsOf().at(-1);
    await blocker.lock("SELECT FROM account_visits WHERE user_id = $1 FOR NO KEY UPDATE", [last]);
    const first = recordVisits(db, idsOf().toReversed());
    await blocker.untilWaiting(1, "the first visits wait");
    const second = recordVisits(db, idsOf());
    await blocker.untilWaiting(2, "the second visits wait");
    await blocker.release();
    expect(await Promise.all([first, second])).to.deep.equal([
      [false, false, false],
      [false, false, false],
    ]);
  });
});
