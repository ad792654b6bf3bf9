import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { admitCall, recordAnswered, recordUnanswered, type Admission } from "./circuit.ts";

describe("The circuit to the push bouncer", () => {
  const db = useDatabase();
  beforeEach(() =>
    db.rows(
      "UPDATE bouncer_circuit SET failures = 0, pauses = 0, no_calls_until = NULL, in_trial = false",
    ),
  );

  const fail = (isTrial = false) => recordUnanswered(db, { isTrial });
  const state = async () => {
    const [row] = await db.rows(
      "SELECT failures, no_calls_until IS NOT NULL AS open FROM bouncer_circuit",
    );
    return row;
  };
  const failed = async (times: number) => {
    const pauses = [];
    for (let i = 0; i < times; i++) pauses.push(await fail());
    return pauses;
  };
  const pauseEnds = () =>
    db.rows("UPDATE bouncer_circuit SET no_calls_until = now() - interval '1 ms'");
  const pauseLasts = () =>
    db.rows("UPDATE bouncer_circuit SET no_calls_until = now() + interval '1 h'");
  const refused = (admission: Admission) => {
    if (admission.admitted) throw new Error("it was admitted");
    return admission.waitMs;
  };

  it("admits every call while calls are answered", async () => {
    expect(await admitCall(db)).to.deep.equal({ admitted: true, isTrial: false, failures: 0 });
    await recordAnswered(db);
    expect(await state()).to.deep.equal({ failures: 0, open: false });
  });

  it("opens after five unanswered calls in a row, not if an answer comes in between", async () => {
    expect(await failed(4)).to.deep.equal([0, 0, 0, 0]);
    expect(await admitCall(db)).to.deep.equal({ admitted: true, isTrial: false, failures: 4 });
    await recordAnswered(db);
    expect(await failed(4)).to.deep.equal([0, 0, 0, 0]);
    expect(await fail()).to.be.within(1, 5_000);
    expect(await state()).to.deep.equal({ failures: 5, open: true });
    await pauseLasts();
    expect(refused(await admitCall(db))).to.be.within(1, 3_600_000);
  });

  it("does not prolong a pause for calls that were in progress when it began", async () => {
    await failed(5);
    await pauseLasts();
    const [before] = await db.rows("SELECT pauses, no_calls_until FROM bouncer_circuit");
    await failed(30);
    const [after] = await db.rows("SELECT pauses, no_calls_until FROM bouncer_circuit");
    expect(after).to.deep.equal(before);
  });

  it("admits a single trial call after the pause, even if many ask at once", async () => {
    await failed(5);
    await pauseEnds();
    const asked = await Promise.all(Array.from({ length: 20 }, () => admitCall(db)));
    const admitted = asked.filter((one) => one.admitted);
    expect(admitted).to.deep.equal([{ admitted: true, isTrial: true, failures: 5 }]);
    for (const one of asked.filter((other) => !other.admitted))
      expect(refused(one)).to.be.within(1, 2_000);
    await recordAnswered(db);
    expect(await admitCall(db)).to.deep.equal({ admitted: true, isTrial: false, failures: 0 });
  });

  it("doubles the pause after each failed trial, up to two minutes", async () => {
    await failed(5);
    const pauses = [];
    for (let i = 0; i < 14; i++) {
      await pauseEnds();
      await admitCall(db);
      pauses.push(Math.ceil((await fail(true)) / 1_000));
    }
    expect(pauses.slice(0, 6)).to.deep.equal([10, 20, 40, 80, 120, 120]);
    expect(pauses.at(-1)).to.equal(120);
    await recordAnswered(db);
    expect((await failed(5)).at(-1)).to.be.within(1, 5_000);
  });

  it("gives a trial to another worker if the first one died", async () => {
    await failed(5);
    await pauseEnds();
    expect(await admitCall(db)).to.include({ isTrial: true });
    expect(refused(await admitCall(db))).to.be.within(1, 2_000);
    await pauseEnds();
    expect(await admitCall(db)).to.include({ isTrial: true });
  });
});
