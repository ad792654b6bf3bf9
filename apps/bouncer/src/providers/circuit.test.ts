import { testProvider } from "@carillon/testkit";
import { expect } from "chai";
import { bounded } from "./bounded.ts";
import { withCircuit } from "./circuit.ts";
import { limited } from "./limited.ts";
import type { Handover, Outcome } from "./provider.ts";

const handover: Handover = {
  token: "x",
  registeredAt: new Date(0),
  iosAppId: null,
  urgent: true,
  alert: false,
  payload: {},
};
const unsure: Outcome = { kind: "unsure", why: "ETIMEDOUT" };

describe("A provider that stops answering", () => {
  const setUp = () => {
    const clock = { time: 1_000, now: () => clock.time };
    const provider = testProvider("fcm");
    return { clock, provider, guarded: withCircuit(provider, clock) };
  };

  it("opens the circuit after three, and is tried again later", async () => {
    const { clock, provider, guarded } = setUp();
    provider.answer = () => unsure;
    for (let i = 0; i < 3; i++) expect(await guarded.handOver(handover)).to.equal(unsure);
    const resting = { kind: "undelivered", why: "circuit open" };
    expect(await guarded.handOver(handover)).to.deep.equal(resting);
    expect(provider.handovers).to.have.length(3);

    clock.time += 15_000;
    const tried = [guarded.handOver(handover), guarded.handOver(handover)];
    expect(await Promise.all(tried)).to.deep.equal([unsure, resting]);
    expect(await guarded.handOver(handover)).to.deep.equal(resting);

    clock.time += 15_000;
    provider.answer = () => ({ kind: "sent" });
    for (let i = 0; i < 3; i++)
      expect(await guarded.handOver(handover)).to.deep.equal({ kind: "sent" });
    expect(provider.handovers).to.have.length(7);
  });

  it("keeps the circuit closed for refusals and undelivered notifications", async () => {
    const { provider, guarded } = setUp();
    for (const kind of ["undelivered", "refused", "dead"] as const) {
      provider.answer = () => ({ kind, why: "x" });
      for (let i = 0; i < 5; i++) await guarded.handOver(handover);
    }
    provider.answer = () => unsure;
    await guarded.handOver(handover);
    await guarded.handOver(handover);
    provider.answer = () => ({ kind: "sent" });
    await guarded.handOver(handover);
    provider.answer = () => unsure;
    await guarded.handOver(handover);
    expect(await guarded.handOver(handover)).to.equal(unsure);
    expect(provider.handovers).to.have.length(20);
  });
});

describe("A limited provider", () => {
  it("has a limit of concurrent notifications", async () => {
    const provider = testProvider("fcm");
    let [now, most] = [0, 0];
    provider.answer = async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
      return { kind: "sent" };
    };
    const few = limited(provider, 3);
    await Promise.all(Array.from({ length: 20 }, () => few.handOver(handover)));
    expect([provider.handovers.length, most]).to.deep.equal([20, 3]);
  });

  it("does not get queued notifications once the circuit is open", async () => {
    const provider = testProvider("fcm");
    provider.answer = async () => {
      await new Promise(setImmediate);
      return unsure;
    };
    const few = bounded(provider, 3);
    const ends = await Promise.all(Array.from({ length: 20 }, () => few.handOver(handover)));
    // Three are handed over at once; the first two to end each let another one through, then the circuit is open.
    expect(provider.handovers).to.have.length(5);
    expect(ends.filter(({ kind }) => kind === "undelivered")).to.have.length(15);
  });
});
