import { expect } from "chai";
import { needsOf } from "./program-needs.ts";

describe("what programs need", () => {
  it("applies to the named programs by their whole name only", () => {
    expect(needsOf("ZulipTerminal")).to.deep.equal([
      "reaction_user",
      "channel_email",
      "queue_id_message",
    ]);
    for (const name of ["zulipterminal", "ZulipTerminal2", "ZulipMobile", "", "constructor"])
      expect(needsOf(name), name).to.deep.equal([]);
  });
});
