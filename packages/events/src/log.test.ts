import { peersAdded } from "@carillon/contract";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { emit } from "./emit.ts";
import { readLogFor } from "./log.ts";

describe("Reading the log for one account", () => {
  const db = useDatabase();

  it("returns no further row once the rows before have so many bytes, and always one", async () => {
    const { realm, owner } = await organization(db);
    const user_ids = Array.from({ length: 1_000 }, (_, n) => n + 10_000);
    const event = peersAdded({ stream_ids: [1], user_ids }, { audience: [owner.id] });
    await db.transaction(async (tx) => emit(tx, realm.id, [event, event, event]));
    const queue = { realmId: realm.id, userId: owner.id, allPublicChannels: false };
    const read = (after: number, maxBytes: number) =>
      readLogFor(db, queue, { after, until: 1_000, limit: 100, maxBytes });
    const [first] = (await read(0, 1_000_000)).filter((row) => row.event.type === event.type);
    const after = (first?.event.seq ?? 0) - 1;
    const size = JSON.stringify(first?.event.payload).length;

    expect(await read(after, 1)).to.have.length(1);
    expect(await read(after, size)).to.have.length(1);
    expect(await read(after, size + 1)).to.have.length(2);
    expect(await read(after, 2 * size + 1)).to.have.length(3);
  });
});
