import { expect } from "chai";
import { readEnvironment } from "./environment.ts";
import { unbuiltVariables } from "./unbuilt-variables.ts";

describe("Variables for what is not built yet", () => {
  it("are told one by one, without their values, and only those that are set", () => {
    expect(unbuiltVariables(readEnvironment({}))).to.deep.equal([]);
    const told = unbuiltVariables(
      readEnvironment({
        PUSH_BOUNCER_URL: "https://secret.example.com",
        PUSH_SERVER_KEY: "secret",
      }),
    );
    expect(told.map((line) => line.split(" ")[0])).to.deep.equal([
      "PUSH_BOUNCER_URL",
      "PUSH_SERVER_KEY",
    ]);
    expect(told.join()).not.to.include("secret");
  });
});
