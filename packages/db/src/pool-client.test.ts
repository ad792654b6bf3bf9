import type { Socket } from "node:net";
import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { PoolClient } from "./pool-client.ts";

describe("PoolClient", () => {
  const db = useDatabase({ max: 1 });

  /** How often something is written to the one connection of the pool while `work` runs. */
  async function writes(work: () => Promise<unknown>): Promise<number> {
    const client = await db.pool.connect();
    client.release();
    if (!(client instanceof PoolClient)) throw new Error("the pool has connections of its own");
    const stream = client.connection.stream as Socket;
    let count = 0;
    const write = stream._write.bind(stream);
    const writev = stream._writev?.bind(stream);
    stream._write = (...given) => (count++, write(...given));
    if (writev) stream._writev = (...given) => (count++, writev(...given));
    try {
      await work();
    } finally {
      stream._write = write;
      if (writev) stream._writev = writev;
    }
    return count;
  }

  it("sends the beginning of a transaction in one write, and its end in another", async () => {
    const hello = { name: "write-hello", text: "SELECT $1::int AS hello" };
    const count = await writes(() =>
      db.transaction(async (tx) => {
        await Promise.all([tx.rows(hello, [1]), tx.rows("SELECT 2"), tx.rows(hello, [3])]);
        tx.sendWithCommit(hello, [4]);
        tx.sendWithCommit("SELECT 5");
      }),
    );
    expect(count).to.equal(2);
  });

  it("sends each statement that waits for an earlier answer in a separate write", async () => {
    const count = await writes(() =>
      db.transaction(async (tx) => {
        for (let i = 0; i < 3; i++) await tx.rows("SELECT 1");
      }),
    );
    expect(count).to.equal(4);
  });
});
