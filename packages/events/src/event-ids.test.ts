import { expect } from "chai";

import { eventId, heartbeatId, isFromTheFuture, seqOf } from "./event-ids.ts";

describe("ids of events", () => {
  it("map to the number in the log, for all events of one number and for heartbeats", () => {
    for (const seq of [0, 1, 77, 8_000_000_000_000]) {
      expect(seqOf(eventId(seq))).to.equal(seq);
      expect(seqOf(eventId(seq, 1_023))).to.equal(seq);
      expect(Number.isSafeInteger(eventId(seq, 1_023))).to.equal(true);
      expect(seqOf(heartbeatId(eventId(seq), seq)!)).to.equal(seq);
    }
    expect(seqOf(-1)).to.be.lessThan(0);
  });

  it("rise with every heartbeat, until no id is left before the next event", () => {
    let last = eventId(5);
    for (let i = 0; i < 1_023; i++) {
      const next = heartbeatId(last, 5)!;
      expect(next).to.be.greaterThan(last);
      expect(next).to.be.lessThan(eventId(6));
      last = next;
    }
    expect(heartbeatId(last, 5)).to.equal(undefined);
    expect(heartbeatId(last, 6)).to.be.greaterThan(last);
  });

  it("move a quiet queue to the end of the log, by a heartbeat", () => {
    expect(heartbeatId(eventId(3), 900)).to.equal(eventId(900) + 1);
    expect(heartbeatId(-1, 0)).to.equal(1);
  });

  it("are from the future when they are after the end of the log", () => {
    expect(isFromTheFuture(eventId(9, 1_023), 9)).to.equal(false);
    expect(isFromTheFuture(eventId(10), 9)).to.equal(true);
  });
});
