import { createHash } from "node:crypto";
import { updateMessage } from "@carillon/contract";
import { expect } from "chai";

import { Fields } from "./fields.ts";
import { fingerprintOf } from "./fingerprint.ts";

describe("fingerprintOf", () => {
  it("hashes names, lengths and texts, with the same result at once and in slices", async () => {
    for (const content of ["The **new** text", "x🙂".repeat(50_000)]) {
      const fields = new Fields();
      fields.add("topic", "bells");
      fields.add("unknown", "is left out");
      fields.add("content", content);
      const hashed = `/message_id:1:7content:${content.length}:${content}topic:5:bells`;
      // Gateways of earlier and later builds must compute the same fingerprint.
      expect(await fingerprintOf(updateMessage, { message_id: 7 }, fields)).to.deep.equal(
        createHash("sha256").update(hashed).digest(),
      );
    }
  });
});
