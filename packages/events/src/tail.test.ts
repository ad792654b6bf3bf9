import { randomUUID } from "node:crypto";
import { peersAdded } from "@carillon/contract";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { emit } from "./emit.ts";
import type { Presenter } from "./present.ts";
import type { EventQueue } from "./queue-options.ts";
import { EventMemory } from "./recent-events.ts";
import { Tail } from "./tail.ts";
import { Waiter } from "./waiting.ts";

// http-contract.md §8: no answer, and no number of answers, blocks the event loop.
describe("Tail", () => {
  const db = useDatabase();
  const readers = Array.from({ length: 40 }, (_, n) => n + 1);

  const presenter: Presenter<null> = {
    context: async () => null,
    present: ({ type, op, payload }) => [{ type, ...(op === null ? {} : { op }), ...payload }],
    accounts: {
      table: "users",
      viewerRole: "0",
      mayListenToAll: "true",
      keyDigest: "u.api_key_digest",
      isActive: "u.is_active",
    },
  };
  const queueOf = (realmId: number, userId: number): EventQueue => ({
    id: randomUUID(),
    realmId,
    userId,
    viewerRole: 0,
    baseSeq: 0,
    options: {
      eventTypes: null,
      allPublicChannels: false,
      applyMarkdown: false,
      clientGravatar: true,
      slimPresence: false,
      narrow: [],
      capabilities: [],
    },
    idleTimeout: 600,
  });

  /** Returns in how many rounds of the event loop all polls are answered about so many subscribed accounts. */
  async function turnsFor(accounts: number): Promise<number> {
    const { realm } = await organization(db);
    const memory = new EventMemory({ events: 1_000, weight: 10_000_000 });
    const tail = await Tail.open(realm.id, { db, memory, presenter });
    let turn = 0;
    let counting = true;
    const count = (): void => {
      turn++;
      if (counting) setImmediate(count);
    };
    const answered: number[] = [];
    for (const id of readers)
      tail.waiters.add(new Waiter(queueOf(realm.id, id), 0, () => answered.push(turn)));
    const user_ids = Array.from({ length: accounts }, (_, n) => n + 100);
    await db.transaction(async (tx) =>
      emit(tx, realm.id, [peersAdded({ stream_ids: [1], user_ids }, { audience: readers })]),
    );
    count();
    await tail.pull();
    counting = false;
    tail.close();
    expect(answered).to.have.length(readers.length);
    return new Set(answered).size;
  }

  it("answers few polls per round of the event loop when answers are large, and many when they are small", async () => {
    expect(await turnsFor(5_000)).to.be.at.least(4);
    expect(await turnsFor(1)).to.equal(1);
  });
});
