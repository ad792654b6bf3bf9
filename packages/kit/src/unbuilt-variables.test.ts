import { expect } from "chai";
import { readEnvironment } from "./environment.ts";
import { unbuiltVariables } from "./unbuilt-variables.ts";

describe("Variables for what is not built yet", () => {
  it("are told one by one, without their values, and only those that are set", () => {
    expect(unbuiltVariables(readEnvironment({}))).to.deep.equal([]);
    const told = unbuiltVariables(readEnvironment({ PUSH_BOUNCER: "embedded", HOST: "::1" }));
    expect(told.map((line) => line.split(" ")[0])).to.deep.equal(["PUSH_BOUNCER"]);
    expect(told.join()).not.to.include("embedded");
  });
});
