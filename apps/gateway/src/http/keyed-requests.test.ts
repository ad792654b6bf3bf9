import { ApiError, errors } from "@carillon/contract";
import { RequestDeadline } from "@carillon/db";
import { StoredAnswer } from "@carillon/domain";
import { expect } from "chai";

import { KeyedRequests } from "./keyed-requests.ts";

describe("requests with keys in one process", () => {
  const identity = (id = "a") => ({ id, accountId: 1, fingerprint: Buffer.alloc(32) });
  const never = () => new Promise<never>(() => {});
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail("it succeeded"),
      (error: unknown) => error as Error,
    );

  it("are counted as first, replayed, mismatched, and waited", async () => {
    const keyed = new KeyedRequests();
    const run = (work: () => Promise<object>) => keyed.run(identity(), new RequestDeadline(), work);
    const stored = async () => {
      throw new StoredAnswer({ id: 1 });
    };
    const reused = async () => {
      throw errors.idempotencyKeyReused();
    };
    const refused = async () => {
      throw errors.badRequest("No");
    };
    const all = [run(async () => ({ id: 1 })), run(stored), run(reused), run(refused)] as const;
    expect(await all[0]).to.deep.equal({ answer: { id: 1 }, isReplayed: false });
    expect(await all[1]).to.deep.equal({ answer: { id: 1 }, isReplayed: true });
    expect(await refusalOf(all[2])).to.have.property("code", "IDEMPOTENCY_KEY_REUSED");
    expect(await refusalOf(all[3])).to.have.property("code", "BAD_REQUEST");
    expect(keyed.counts).to.deep.equal({ first: 1, replayed: 1, mismatched: 1, waited: 3 });
  });

  it("run one by one if their keys are equal, otherwise concurrently", async () => {
    const keyed = new KeyedRequests();
    const running: string[] = [];
    const ends: Array<() => void> = [];
    const run = (id: string) =>
      keyed.run(identity(id), new RequestDeadline(), async () => {
        running.push(id);
        await new Promise<void>((resolve) => ends.push(resolve));
        return {};
      });
    const all = [run("a"), run("a"), run("b")];
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).to.deep.equal(["a", "b"]);
    ends.shift()!();
    await all[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).to.deep.equal(["a", "b", "a"]);
    for (const end of ends) end();
    await Promise.all(all);
  });

  it("stop waiting when the wait is over, or their deadline ends", async () => {
    const keyed = new KeyedRequests(1);
    void keyed.run(identity(), new RequestDeadline(), never);
    const late = await refusalOf(keyed.run(identity(), new RequestDeadline(), never));
    expect(late).to.be.instanceOf(ApiError);
    expect(late).to.deep.include({ code: "IDEMPOTENCY_KEY_IN_USE", facts: { retryAfter: 1 } });

    const patient = new KeyedRequests();
    void patient.run(identity(), new RequestDeadline(), never);
    const deadline = new RequestDeadline();
    const waiting = refusalOf(patient.run(identity(), deadline, never));
    const hungUp = errors.badRequest("The client has hung up");
    deadline.end(hungUp, false);
    expect(await waiting).to.equal(hungUp);
  });
});
