import { readEnvironment } from "@carillon/kit";
import { expect } from "chai";

import { examineConfiguration } from "./configuration.ts";

describe("carillon doctor on the configuration of outgoing webhooks", () => {
  const examined = (variables: Record<string, string>, proxies: string[] = []) =>
    examineConfiguration(readEnvironment(variables), proxies);
  const networks = (variables: Record<string, string>) =>
    examined(variables).find(({ what }) => what === "OUTGOING_ALLOWED_NETWORKS");

  it("shows the networks and the time limit", () => {
    expect(networks({})).to.include({
      state: "ok",
      text: "none: public addresses only; calls of endpoints end after 10 s",
    });
    const given = { OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8", OUTGOING_TIMEOUT: "2" };
    expect(networks(given)).to.include({
      state: "ok",
      text: "127.0.0.0/8; calls of endpoints end after 2 s",
    });
  });

  it("fails for a wrong list, and warns of one with the address of cloud credentials", () => {
    const wrong = networks({ OUTGOING_ALLOWED_NETWORKS: "localhost" });
    expect(wrong?.state).to.equal("failed");
    expect(wrong?.text).to.include('"localhost"');
    expect(networks({ OUTGOING_ALLOWED_NETWORKS: "169.254.0.0/16" })?.state).to.equal("warning");
  });

  it("warns of variables for proxies, which are not read", () => {
    expect(examined({}).filter(({ what }) => what === "proxies")).to.deep.equal([]);
    const [found] = examined({}, ["HTTPS_PROXY"]).filter(({ what }) => what === "proxies");
    expect(found).to.include({ state: "warning" });
    expect(found?.text).to.include("HTTPS_PROXY is not read");
  });
});
