import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import type { Actor } from "./http/actor.ts";
import type { LookUp } from "./shared-look-up.ts";
import { Visits } from "./visits.ts";

// docs/decisions/083
describe("Visits", () => {
  const db = useDatabase();
  const person = { id: 7, isBot: false } as Actor;

  /** Emits the event that the pool emits when an idle connection breaks. */
  const loseConnection = () => db.pool.emit("error", new Error("lost"));

  /** Returns a look-up that stands for the database, and the list of visits that it has recorded. */
  function counting() {
    const found: number[] = [];
    const visits: LookUp<number, boolean> = {
      find: async (id) => {
        found.push(id);
        return false;
      },
      within: () => visits,
    };
    return { found, visits };
  }

  it("add only one listener to the pool that they share", () => {
    const first = new Visits(db);
    const before = db.pool.listenerCount("error");
    const others = Array.from({ length: 20 }, () => new Visits(db));
    expect([first, ...others]).to.have.length(21);
    expect(db.pool.listenerCount("error")).to.equal(before);
  });

  it("are recorded again after a connection was lost, because a failover may have lost them", async () => {
    const gateways = [new Visits(db), new Visits(db)];
    const { found, visits } = counting();
    const visitBoth = async () => {
      for (const gateway of gateways) await gateway.record(person, visits);
    };
    await visitBoth();
    await visitBoth();
    expect(found, "remembered").to.have.length(2);
    loseConnection();
    await visitBoth();
    expect(found, "after the loss").to.have.length(4);
    await visitBoth();
    expect(found, "remembered again").to.have.length(4);
  });

  it("that are being recorded while a connection is lost are recorded again", async () => {
    const gateway = new Visits(db);
    const { found, visits } = counting();
    await gateway.record(person, {
      ...visits,
      find: async (id) => {
        loseConnection();
        return visits.find(id);
      },
    });
    await gateway.record(person, visits);
    expect(found).to.have.length(2);
  });
});
