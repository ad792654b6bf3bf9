import { startScriptedProvider } from "@carillon/testkit";
import { expect } from "chai";

import { IdentityClient } from "./identity-client.ts";

const hourMs = 3_600_000;

describe("IdentityClient", () => {
  it("loads the provider's description again after an hour", async () => {
    const provider = await startScriptedProvider();
    let now = 0;
    const client = new IdentityClient(provider.config, { clock: { now: () => now } });
    const begin = async () =>
      client.authorizationUrl(
        "http://127.0.0.1/complete/oidc/",
        { state: "state", ...(await client.makeChecks()) },
        new AbortController().signal,
      );
    const discovery = "/.well-known/openid-configuration";
    try {
      await begin();
      now += hourMs - 1;
      await begin();
      expect(provider.requests).to.deep.equal([discovery]);
      now += 1;
      await begin();
      expect(provider.requests).to.deep.equal([discovery, discovery]);
    } finally {
      await provider.close();
    }
  });
});
