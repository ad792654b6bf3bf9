import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect } from "chai";
import { clientName } from "./client-name.ts";
import { startGateway } from "../test-support/sample-gateway.ts";

describe("clientName", () => {
  it("is the first token of the user agent", () => {
    for (const [userAgent, name] of [
      ["ZulipFlutter/0.0.15+15 (Android 14)", "ZulipFlutter"],
      ["Mozilla/5.0 (X11; Linux)", "Mozilla"],
      ["ZulipPython (Linux)", "ZulipPython"],
      ["curl", "curl"],
      ["a b/c", "a"],
      ["x(y)", "x"],
      ["", "InvalidUserAgent"],
      ["/1.0", "InvalidUserAgent"],
      ["(X11)", "InvalidUserAgent"],
      ["a".repeat(40), "a".repeat(30)],
    ]) {
      expect(clientName(userAgent, undefined), userAgent).to.equal(name);
      expect(clientName(userAgent, undefined), `${userAgent}, again`).to.equal(name);
    }
    expect(clientName(undefined, undefined)).to.equal("Unspecified");
  });

  it("is the parameter when it is given", () => {
    expect(clientName("curl/8", "my script/1")).to.equal("my script/1");
    expect(clientName("curl/8", "")).to.equal("curl");
    expect(clientName("curl/8", "😀".repeat(31))).to.equal("😀".repeat(30));
    expect(clientName("curl/8", "a\0")).to.equal("InvalidUserAgent");
  });

  it("retains no long text in memory, neither a user agent nor the text that it is cut from", () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const held = () => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = held();
    const rest = "x".repeat(250_000);
    for (let i = 0; i < 400; i++)
      clientName(Buffer.from(`bot-of-some-length/${i} ${rest}`).toString(), undefined);
    expect(held() - before).to.be.below(20_000_000);
  });

  it("reaches the handler", async () => {
    const gateway = await startGateway();
    const client = async (target: string, headers = {}) =>
      (await gateway.send("POST", target, { form: "content=x", headers })).json["client"];
    expect(await client("/api/v1/echo")).to.equal("Unspecified");
    expect(await client("/api/v1/echo", { "User-Agent": "ZulipTerminal/0.7" })).to.equal(
      "ZulipTerminal",
    );
    expect(await client("/api/v1/echo?client=website", { "User-Agent": "node" })).to.equal(
      "website",
    );
    await gateway.stop();
  });
});
