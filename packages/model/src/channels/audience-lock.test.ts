import { channel, organization, useDatabase, type TestChannel } from "@carillon/testkit";
import { expect } from "chai";
import { lockAudiences, lockAudiencesShared } from "./audience-lock.ts";

describe("The audience lock of a channel", () => {
  const db = useDatabase();
  let room: TestChannel;
  let elsewhere: TestChannel;
  before(async () => {
    room = await channel(db, (await organization(db)).owner);
    const other = await organization(db);
    // Their ids belong to the same one of the 64 locks.
    await db.rows("SELECT setval(pg_get_serial_sequence('channels', 'id'), $1)", [room.id + 63]);
    elsewhere = await channel(db, other.owner);
    expect(elsewhere.id).to.equal(room.id + 64);
  });

  /**
   * Returns the result of taking the channel's lock while another transaction holds it exclusively, with a lock
   * timeout.
   */
  const beside = ({ id }: TestChannel, take: typeof lockAudiencesShared) =>
    db.transaction(async (holder) => {
      await lockAudiences(holder, [room.id]);
      return db
        .transaction(async (tx) => {
          await tx.rows("SET LOCAL lock_timeout = 100");
          await take(tx, [id]);
          return "taken";
        })
        .catch((error: { code?: string }) => error.code);
    });

  it("blocks sending to the channel and other changes of its audience", async () => {
    expect(await beside(room, lockAudiencesShared)).to.equal("55P03");
    expect(await beside(room, lockAudiences)).to.equal("55P03");
  });

  it("does not block other organizations", async () => {
    expect(await beside(elsewhere, lockAudiencesShared)).to.equal("taken");
    expect(await beside(elsewhere, lockAudiences)).to.equal("taken");
  });
});
