import { expect } from "chai";
import { needsOf } from "./program-needs.ts";

describe("what programs need", () => {
  it("is something for those that are named, by their whole name, and nothing for others", () => {
    expect(needsOf("ZulipTerminal")).to.deep.equal([
      "reaction_user",
      "channel_email",
      "queue_id_message",
    ]);
    for (const name of ["zulipterminal", "ZulipTerminal2", "ZulipMobile", "", "constructor"])
      expect(needsOf(name), name).to.deep.equal([]);
  });
});
