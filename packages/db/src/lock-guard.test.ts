import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { connectDatabase } from "./connect-database.ts";
import type { Lock } from "./lock-order.ts";
import { lockKeyShared, lockKey, lockKeyWithCommit } from "./locks.ts";
import type { Tx } from "./tx.ts";

describe("LockGuard", () => {
  const db = useDatabase();

  const take = (tx: Tx, lock: Lock, ids: readonly number[] = []) =>
    tx.lock(lock, "SELECT id FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR SHARE", [ids]);
  const accounts = (...keys: number[]): Lock => ({ name: "accounts", keys });
  const channels = (...keys: number[]): Lock => ({ name: "channels", keys });

  async function refusalOf(work: (tx: Tx) => Promise<unknown>): Promise<string> {
    const refusal = await db.transaction(work).then(
      () => "",
      (error: Error) => error.message,
    );
    return refusal.split(" (")[0] ?? "";
  }

  it("accepts locks in order, and a held lock again", async () => {
    const refusal = await refusalOf(async (tx) => {
      await lockKey(tx, "groups", 1);
      await take(tx, accounts(2, 3));
      await take(tx, accounts(4));
      await take(tx, channels(1));
      await lockKey(tx, "groups", 1);
      await lockKeyShared(tx, "groups", 1);
      await take(tx, accounts(3));
    });
    expect(refusal).to.equal("");
  });

  it("refuses a lock that comes before a held one, and names both places", async () => {
    const takeChannel = (tx: Tx) => take(tx, channels(7));
    const takeAccount = (tx: Tx) => take(tx, accounts(9));
    const error = await db
      .transaction(async (tx) => {
        await takeChannel(tx);
        await takeAccount(tx);
      })
      .then(() => expect.fail("it went on"))
      .catch((reason: Error) => reason);
    expect(error.message).to.match(/^A lock of accounts must be taken before one of channels/);
    expect(error.message).to.match(/held: channels 7 .*takeChannel .*lock-guard\.test\.ts:\d+/);
    expect(error.message).to.match(/now: {2}accounts 9 .*takeAccount .*lock-guard\.test\.ts:\d+/);
  });

  it("refuses descending keys, and an exclusive lock on a key held shared", async () => {
    const down = "Locks of accounts must be taken in one statement, or in ascending order";
    const downwards = async (tx: Tx) => {
      await take(tx, accounts(5));
      await take(tx, accounts(4));
    };
    expect(await refusalOf(downwards)).to.equal(down);
    const upgraded = async (tx: Tx) => {
      await lockKeyShared(tx, "groups", 1);
      await lockKey(tx, "groups", 1);
    };
    expect(await refusalOf(upgraded)).to.equal(
      "A lock of groups must not be shared first and exclusive later",
    );
  });

  it("learns the keys that only the statement knows", async () => {
    const { member, admin } = await organization(db);
    const ids = [member.id, admin.id];
    const again = async (tx: Tx) => {
      await take(tx, { name: "accounts" }, ids);
      await take(tx, accounts(...ids));
    };
    expect(await refusalOf(again)).to.equal("");
    const below = async (tx: Tx) => {
      await take(tx, { name: "accounts" }, ids);
      await take(tx, accounts(Math.min(...ids) - 1));
    };
    expect(await refusalOf(below)).to.match(/^Locks of accounts/);
  });

  it("counts locks of the commit as taken last, and forgets those of a savepoint that was rolled back", async () => {
    const withCommit = async (tx: Tx) => {
      lockKeyWithCommit(tx, "presence", 1);
      await take(tx, channels(1));
    };
    expect(await refusalOf(withCommit)).to.equal("");
    const inWrongOrder = async (tx: Tx) => {
      tx.sendWithCommit("SELECT 1", [], { name: "eventHead", keys: [1] });
      lockKeyWithCommit(tx, "presence", 1);
    };
    expect(await refusalOf(inWrongOrder)).to.match(/^A lock of presence must be taken before/);
    const givenBack = async (tx: Tx) => {
      await tx
        .savepoint(async () => {
          await take(tx, channels(1));
          throw new Error("undone");
        })
        .catch(() => {});
      await take(tx, accounts(1));
    };
    expect(await refusalOf(givenBack)).to.equal("");
  });

  it("checks nothing unless asked to", async () => {
    const unchecked = await connectDatabase(db.url, { max: 1, name: "unchecked" });
    try {
      await unchecked.transaction(async (tx) => {
        await take(tx, channels(1));
        await take(tx, accounts(1));
      });
    } finally {
      await unchecked.close();
    }
  });
});
