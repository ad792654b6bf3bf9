import { readEnvironment, StartupError } from "@carillon/kit";
import { expect } from "chai";

import { pushConfig } from "./config.ts";

const all = {
  PUSH_BOUNCER_URL: "https://push.example.com/bouncer/",
  PUSH_SERVER_ID: "6cde5f7a-1f7e-4978-9716-49f69ebfc9fe",
  PUSH_SERVER_KEY: "s3cret",
};

describe("The configuration of the push bouncer", () => {
  const config = (variables: Record<string, string>) => pushConfig(readEnvironment(variables));

  it("is undefined without variables", () => {
    expect(config({})).to.equal(undefined);
  });

  it("has fifteen seconds for a call unless another time is set", () => {
    const { PUSH_SERVER_ID: serverId, PUSH_SERVER_KEY: serverKey } = all;
    const url = "https://push.example.com/bouncer";
    const expected = { url, serverId, serverKey, timeoutMs: 15_000 };
    expect(config(all)).to.deep.equal(expected);
    expect(config({ ...all, PUSH_TIMEOUT: "2.5" })).to.deep.equal({
      ...expected,
      timeoutMs: 2_500,
    });
  });

  for (const missing of ["PUSH_SERVER_ID", "PUSH_SERVER_KEY", "PUSH_BOUNCER_URL"] as const)
    it(`names ${missing} when the others are set without it, and repeats none of their values`, () => {
      const { [missing]: _, ...others } = all;
      expect(() => config(others)).to.throw(StartupError, new RegExp(`^${missing} is not set`));
      try {
        config(others);
      } catch (error) {
        expect(String(error)).not.to.include("s3cret").and.not.include("example.com");
      }
    });

  it("names the variable that is set alone", () => {
    expect(() => config({ PUSH_SERVER_KEY: "s3cret" })).to.throw(/but PUSH_SERVER_KEY is/);
  });
});
