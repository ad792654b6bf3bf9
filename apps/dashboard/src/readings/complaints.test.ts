import { captureLog } from "@carillon/testkit";
import { expect } from "chai";
import { skewWatch } from "./clock-skew.ts";
import { complaints } from "./complaints.ts";
import type { ProcessRow } from "./processes.ts";
import type { Snapshot } from "./readings.ts";

const living = (role: string): ProcessRow => ({
  processId: role,
  role,
  host: "h",
  pid: 1,
  age: 9,
  lastSeen: 3,
  counters: {},
});

const well: Snapshot = {
  lag: { dueLag: 0.4, outboxOldest: 1, clockSkew: -0.2 },
  counts: {
    pendingWithin: 9,
    pendingAfter: 9,
    failed: 3,
    remindersPending: 2,
    remindersFailed: 1,
    intentsPending: 1,
    deadLetters: 0,
    bouncerAway: 0,
  },
  lateness: { deliveries: 3, median: 0, p95: 0, max: 0 },
  processes: [living("worker"), living("gateway")],
  counters: new Map(),
  queues: new Map(),
};

describe("what an operator should know", () => {
  it("is nothing when all is well", () => {
    expect(complaints(well)).to.deep.equal([]);
  });

  it("names each trouble", () => {
    expect(
      complaints({
        ...well,
        lag: { dueLag: 75, outboxOldest: 31, clockSkew: -2 },
        counts: { ...well.counts!, deadLetters: 2, bouncerAway: 1 },
        processes: [living("gateway"), { ...living("worker"), lastSeen: 21 }],
      }),
    ).to.deep.equal([
      "Messages are late: the oldest due one has been waiting 1 min 15 s.",
      "No worker is alive.",
      "Work does not get into the queues: the oldest waits 31 s.",
      "Dead letters: 2.",
      "The push bouncer does not answer.",
      "The database's clock is 2 s behind this machine's.",
    ]);
  });

  it("says when the stores do not answer, and no more of what is unknown then", () => {
    const nothing = { lag: undefined, counts: undefined, lateness: undefined };
    const gone = { ...nothing, processes: undefined, counters: undefined, queues: undefined };
    expect(complaints(gone)).to.deep.equal([
      "The database does not answer.",
      "The queues do not answer.",
    ]);
  });
});

describe("watching the clocks", () => {
  it("warns once when they part, and says once that they agree again", () => {
    const { log, lines } = captureLog();
    const watch = skewWatch(log);
    for (const seconds of [0, 0.9, -1, -1.5, 3, 0.2, 0]) watch(seconds);
    expect(lines.map(({ level, seconds }) => [level, seconds])).to.deep.equal([
      [40, -1],
      [30, undefined],
    ]);
  });
});
