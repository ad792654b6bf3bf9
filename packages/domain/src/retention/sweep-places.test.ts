import type { Database } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import {
  channel,
  organization,
  pastMessages,
  send,
  toChannel,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useGateway,
  useBlocker,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { sweepRetention } from "./sweep-retention.ts";

describe("The sweep of an organization's channels", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const blocker = useBlocker(db);
  let org: TestOrganization;

  beforeEach(async () => {
    await db.rows("UPDATE channels SET message_retention_days = NULL");
    org = await organization(db);
  });

  const sweep = (swept: Database) =>
    sweepRetention({ db: swept, log: silentLogger, signal: new AbortController().signal });
  const room = (days: number | null) =>
    channel(db, org.owner, { subscribers: [org.owner], row: { messageRetentionDays: days } });
  const past = (made: TestChannel, count: number) =>
    pastMessages(db, made, org.owner, { daysAgo: 4, count });
  const countLeft = async (ids: readonly number[]) =>
    (await db.rows("SELECT FROM messages WHERE id = ANY($1::bigint[])", [ids])).length;
  /** Locks the rows of the channels. */
  const block = (...rooms: readonly TestChannel[]) =>
    blocker.lock("SELECT FROM channels WHERE id = ANY($1) FOR UPDATE", [rooms.map(({ id }) => id)]);

  it("continues with another channel while one channel is locked", async () => {
    const [first, ...others] = [await room(3), await room(3), await room(3)];
    const stuck = await past(first, 1);
    const ids = (await Promise.all(others.map((made) => past(made, 1)))).flat();
    await block(first);
    const sweeping = sweep(db);
    await waitFor(async () => (await countLeft(ids)) === 0, { what: "the others are swept" });
    expect(await countLeft(stuck)).to.equal(1);
    await blocker.release();
    expect(await sweeping).to.equal(3);
  });

  it("handles one channel at a time once a message is sent, and skips none", async () => {
    const rooms = [await room(3), await room(3), await room(3)];
    const [elsewhere, ids] = [await room(null), [] as number[]];
    for (const made of rooms) ids.push(...(await past(made, 2_500)));
    let sent = false;
    let running = 0;
    let most = 0;
    const transaction: Database["transaction"] = async (work, options) => {
      if (!sent) return db.transaction(work, options);
      most = Math.max(most, ++running);
      return db.transaction(work, options).finally(() => running--);
    };
    const watched = Object.create(db, { transaction: { value: transaction } }) as Database;
    await block(...rooms);
    const sweeping = sweep(watched);
    await blocker.untilWaiting(2, "the sweep waits for two channels");
    await send(gateway.as(org.owner), toChannel(elsewhere.id));
    sent = true;
    await blocker.release();
    expect(await sweeping).to.equal(7_500);
    expect(await countLeft(ids)).to.equal(0);
    expect(most).to.equal(1);
  });
});
