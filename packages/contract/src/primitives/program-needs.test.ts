import { expect } from "chai";
import { needsOf } from "./program-needs.ts";

describe("needsOf", () => {
  it("returns the needs of programs whose name matches exactly", () => {
    expect(needsOf("ZulipTerminal")).to.deep.equal([
      "reaction_user",
      "channel_email",
      "queue_id_message",
    ]);
    for (const name of ["zulipterminal", "ZulipTerminal2", "ZulipMobile", "", "constructor"])
      expect(needsOf(name), name).to.deep.equal([]);
  });
});
