import { expect } from "chai";

import { addressRules, parseNetworks } from "./addresses.ts";

const refused = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.0.170",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::10.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:a00:1",
  "0:0:0:0:0:ffff:7f00:1",
  "64:ff9b::a00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::808:808",
  "100::1",
  "100:0:0:1::1",
  "2001::1",
  "2001:2::1",
  "2001:10::1",
  "2001:db8::1",
  "2002:a00:1::",
  "2002:7f00:1::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd12:3456:789a::1",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "example.com",
  "",
  "127.1",
];

const reachable = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.0.0.9",
  "192.0.0.10",
  "192.0.1.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.175.48.1",
  "198.17.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2001:1::1",
  "2001:3::1",
  "2001:4:112::1",
  "2001:20::1",
  "2001:200::1",
  "2002:808:808::1",
  "2606:4700:4700::1111",
  "2620:4f:8000::1",
  "2a00:1450:4001:82a::200e",
];

describe("the rules of addresses", () => {
  it("refuse each range that is not globally reachable, in every spelling", () => {
    const rules = addressRules();
    expect(refused.filter((address) => rules.allows(address))).to.deep.equal([]);
  });

  it("allow globally reachable addresses", () => {
    const rules = addressRules();
    expect(reachable.filter((address) => !rules.allows(address))).to.deep.equal([]);
  });

  it("allow the networks that the operator allows, also as IPv4 addresses within IPv6 ones, and no others", () => {
    const rules = addressRules(parseNetworks("127.0.0.0/8, 10.1.0.0/16,fd00::/8"));
    for (const address of [
      "127.0.0.1",
      "10.1.2.3",
      "fd00::1",
      "::ffff:127.0.0.1",
      "64:ff9b::a01:203",
      "2002:7f00:1::",
      "8.8.8.8",
    ])
      expect(rules.allows(address), address).to.equal(true);
    for (const address of ["10.2.0.1", "::1", "fc00::1", "::ffff:10.2.0.1", "169.254.169.254"])
      expect(rules.allows(address), address).to.equal(false);
  });
});

describe("parseNetworks", () => {
  it("accepts addresses with the length of a prefix only", () => {
    for (const text of [
      "10.0.0.1",
      "10.0.0.0/33",
      "10.0.0.0/-1",
      "10.0.0.0/8/8",
      "10.0.0.0/",
      "fd00::/129",
      "example.com/8",
      "127.1/8",
      "10.0.0.0/8,",
      "10.0.0.0/8;fd00::/8",
      "*",
    ])
      expect(() => parseNetworks(text), text).to.throw(RangeError, "is not a network");
    expect(parseNetworks("0.0.0.0/0,::/0")).to.deep.equal([
      ["0.0.0.0", 0],
      ["::", 0],
    ]);
  });
});
