import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { isUuid } from "./queues.ts";

describe("isUuid", () => {
  it("accepts UUIDs in either case, and rejects other texts", async () => {
    const uuid = fc.uuid();
    await holds(
      fc.property(uuid, fc.string(), fc.nat(35), (id, text, at) => {
        expect(isUuid(id) && isUuid(id.toUpperCase())).to.equal(true);
        for (const other of [text, id + text.slice(0, 1) + "0", id.slice(0, at), `${id}\n`])
          expect(isUuid(other), other).to.equal(false);
        expect(isUuid(`${id.slice(0, at)}g${id.slice(at + 1)}`)).to.equal(false);
      }),
    );
  });
});
