import { peersAdded } from "@carillon/contract";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { emit } from "./emit.ts";
import { readLogFor } from "./log.ts";

describe("Reading the log for one account", () => {
  const db = useDatabase();

  /** Logs three events with so many ids. @returns how to read them, and the size of a payload in bytes */
  async function threeEvents(ids: number) {
    const { realm, owner } = await organization(db);
    const user_ids = Array.from({ length: ids }, (_, n) => n + 10_000);
    const event = peersAdded({ stream_ids: [1], user_ids }, { audience: [owner.id] });
    await db.transaction(async (tx) => emit(tx, realm.id, [event, event, event]));
    const queue = { realmId: realm.id, userId: owner.id, allPublicChannels: false };
    const read = (after: number, maxBytes: number, limit = 100) =>
      readLogFor(db, queue, { after, until: 1_000, limit, maxBytes });
    const { rows } = await read(0, Number.MAX_SAFE_INTEGER);
    const seqs = rows.flatMap(({ event: one }) => (one.type === event.type ? one.seq : []));
    return {
      read,
      seqs,
      after: (seqs[0] ?? 0) - 1,
      size: JSON.stringify(rows.at(-1)!.event.payload).length,
    };
  }

  it("returns no further row once the rows before have so many bytes, and always one", async () => {
    const { read, after, size } = await threeEvents(20);

    const counts = [1, size, size + 1, 2 * size + 1].map(async (maxBytes) => {
      const { rows, hasMore } = await read(after, maxBytes);
      return { rows: rows.length, hasMore };
    });
    expect(await Promise.all(counts)).to.deep.equal([
      { rows: 1, hasMore: true },
      { rows: 1, hasMore: true },
      { rows: 2, hasMore: true },
      { rows: 3, hasMore: false },
    ]);
  });

  it("says that there may be more where the limit of rows ends it", async () => {
    const { read, after } = await threeEvents(20);

    expect(await read(after, Number.MAX_SAFE_INTEGER, 3)).to.include({ hasMore: true });
    expect(await read(after, Number.MAX_SAFE_INTEGER, 4)).to.include({ hasMore: false });
  });

  it("returns events of compressed payloads in steps, each once", async () => {
    const { read, seqs, after, size } = await threeEvents(5_000);
    const returned: number[][] = [];
    for (let from = after, more = true; more;) {
      const { rows, hasMore } = await read(from, 2 * size);
      returned.push(rows.map(({ event }) => event.seq));
      from = rows.at(-1)?.event.seq ?? from;
      more = hasMore;
    }

    expect(returned.flat()).to.deep.equal(seqs);
    expect(returned.map((step) => step.length)).to.not.include.members([3]);
  });
});
