import { expect } from "chai";
import { inEachOrganization } from "./each-organization.ts";

describe("recurring work in each organization", () => {
  const organizations = [{ id: 1 }, { id: 2 }, { id: 3 }];

  it("goes on after an organization whose work fails, and reports it", async () => {
    const seen: number[] = [];
    const error: unknown = await inEachOrganization(
      organizations,
      new AbortController().signal,
      async (id) => {
        seen.push(id);
        if (id === 1) throw new Error("out of order");
        return 1;
      },
    ).catch((thrown: unknown) => thrown);
    expect(seen).to.deep.equal([1, 2, 3]);
    expect(error).to.be.instanceOf(AggregateError);
    const failures = (error as AggregateError).errors as Error[];
    expect(failures.map(({ message, cause }) => [message, String(cause)])).to.deep.equal([
      ["the work in organization 1 failed", "Error: out of order"],
    ]);
  });

  it("adds up what was done, and stops when it is aborted", async () => {
    const stopped = new AbortController();
    const done = await inEachOrganization(organizations, stopped.signal, async (id) => {
      if (id === 2) stopped.abort();
      return id;
    });
    expect(done).to.equal(3);
  });
});
