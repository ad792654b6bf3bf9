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

  it("parses a large answer in pieces, between which the event loop runs other work", async () => {
    const client = await db.pool.connect();
    client.release();
    if (!(client instanceof PoolClient)) throw new Error("the pool has connections of its own");
    let [bytes, most, answered] = [0, 0, false];
    const count = (chunk: Buffer) => void (most = Math.max(most, (bytes += chunk.length)));
    const { stream } = client.connection;
    stream.on("data", count);
    const beginIteration = () => {
      bytes = 0;
      if (!answered) setImmediate(beginIteration);
    };
    beginIteration();
    const rows = await db.rows<{ text: string }>(
      "SELECT repeat('x', 100000) AS text FROM generate_series(1, 400)",
    );
    answered = true;
    stream.off("data", count);
    expect(rows.map(({ text }) => text.length)).to.deep.equal(Array(400).fill(100_000));
    expect(most).to.be.within(1, 512 * 1024);
  });

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
