import { StartupError } from "@carillon/kit";
import { expect } from "chai";

import { outgoingConfig } from "./config.ts";

describe("outgoingConfig", () => {
  it("allows public addresses only, unless networks are given", () => {
    const { rules, timeoutMs } = outgoingConfig({
      OUTGOING_ALLOWED_NETWORKS: undefined,
      OUTGOING_TIMEOUT: 10,
    });
    expect(rules.allows("127.0.0.1")).to.equal(false);
    expect(timeoutMs).to.equal(10_000);
    const local = outgoingConfig({ OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8", OUTGOING_TIMEOUT: 1 });
    expect(local.rules.allows("127.0.0.1")).to.equal(true);
  });

  it("refuses a list that is not one of networks, naming the variable and the entry", () => {
    expect(() =>
      outgoingConfig({ OUTGOING_ALLOWED_NETWORKS: "10.0.0.0/8,localhost", OUTGOING_TIMEOUT: 10 }),
    ).to.throw(StartupError, /^OUTGOING_ALLOWED_NETWORKS must be networks .*"localhost"/);
  });
});
