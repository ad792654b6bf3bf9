import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { clientAddress, networkOf } from "./client-address.ts";
import { readEnvironment } from "./environment.ts";
import { StartupError } from "./startup-error.ts";

describe("clientAddress", () => {
  const from = (trusted: string | undefined, remoteAddress: string, forwarded?: string) =>
    clientAddress(readEnvironment({ TRUSTED_PROXIES: trusted }))({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    } as IncomingMessage);

  it("is the peer's address, whatever the headers say", () => {
    expect(from(undefined, "10.0.0.1", "1.2.3.4")).to.equal("10.0.0.1");
    expect(from("10.0.0.2", "10.0.0.1", "1.2.3.4")).to.equal("10.0.0.1");
  });

  it("is the address that trusted proxies name, up to the first untrusted one", () => {
    expect(from("uniquelocal", "10.0.0.1", "1.2.3.4")).to.equal("1.2.3.4");
    expect(from("uniquelocal", "10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.9")).to.equal("1.2.3.4");
    expect(from("loopback, 10.0.0.0/8", "::ffff:10.0.0.1", "1.2.3.4")).to.equal("1.2.3.4");
    expect(from("uniquelocal", "10.0.0.1")).to.equal("10.0.0.1");
  });

  it("is not a forged address to the left of it", () => {
    const forged = Array.from({ length: 2_000 }, () => "6.6.6.6").join(", ");
    expect(from("uniquelocal", "10.0.0.1", `${forged}, 1.2.3.4`)).to.equal("1.2.3.4");
    expect(from("uniquelocal", "10.0.0.1", "10.0.0.7, 1.2.3.4, 10.0.0.9")).to.equal("1.2.3.4");
  });

  it("is the proxy's own address if the proxy passes on something else than an address", () => {
    for (const nonsense of [
      "unknown",
      "x".repeat(16_000),
      "1.2.3.4:5678",
      "<script>",
      "_hidden, [::1]:9",
      '{"address":"1.2.3.4"}',
      ", ,",
    ])
      expect(from("uniquelocal", "10.0.0.1", nonsense), nonsense).to.equal("10.0.0.1");
    expect(from("uniquelocal", "10.0.0.1", "unknown, 10.0.0.9")).to.equal("10.0.0.9");
    expect(from("uniquelocal", "10.0.0.1", "::ffff:1.2.3.4")).to.equal("1.2.3.4");
    expect(from(undefined, "::ffff:10.0.0.1")).to.equal("10.0.0.1");
  });

  it("refuses TRUSTED_PROXIES that are not addresses or networks", () => {
    expect(() => from("everybody", "10.0.0.1")).to.throw(StartupError, /^TRUSTED_PROXIES must be/);
    expect(() => from("10.0.0.0/40", "10.0.0.1")).to.throw(StartupError, /^TRUSTED_PROXIES must/);
  });

  for (const [address, network] of [
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["::1", "0:0:0:0::/64"],
    ["2001:DB8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:1:2::9", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["", ""],
  ] as const)
    it(`${JSON.stringify(address)} shares the rate limit of ${network}`, () =>
      expect(networkOf(address)).to.equal(network));
});
