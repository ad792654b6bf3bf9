import { expect } from "chai";

import { addressRules, parseNetworks } from "./addresses.ts";
import { checkUrl, maxUrlLength } from "./check-url.ts";

const problemOf = (text: string, rules = addressRules()) => {
  const checked = checkUrl(text, rules);
  return "problem" in checked ? checked.problem : undefined;
};

describe("checkUrl", () => {
  const refused: ReadonlyArray<readonly [text: string, problem: RegExp]> = [
    ["", /beginning with http/],
    ["example.com/hook", /beginning with http/],
    ["/hook", /beginning with http/],
    ["ftp://example.com/", /beginning with http/],
    ["javascript:alert(1)", /beginning with http/],
    ["file:///etc/passwd", /beginning with http/],
    ["https://", /beginning with http/],
    ["http://exa mple.com/", /spaces and control/],
    ["http://example.com/\n", /spaces and control/],
    ["http://example.com/\0", /spaces and control/],
    ["http://example.com/\ud800", /spaces and control/],
    ["https://me@example.com/", /user name or a password/],
    ["https://me:secret@example.com/", /user name or a password/],
    ["https://example.com/#part", /fragment/],
    ["https://example.com/#", /fragment/],
    ["http://example.com:25/", /port 25/],
    ["https://example.com:6000/", /port 6000/],
    [`https://example.com/${"a".repeat(maxUrlLength)}`, /2048 characters/],
    ["http://10.0.0.1/", /10\.0\.0\.1.*OUTGOING_ALLOWED_NETWORKS/],
    ["http://169.254.169.254/latest/meta-data", /OUTGOING_ALLOWED_NETWORKS/],
    ["http://[::1]/", /address ::1/],
    ["http://[::ffff:10.0.0.1]/", /OUTGOING_ALLOWED_NETWORKS/],
    ["http://[64:ff9b::a00:1]/", /OUTGOING_ALLOWED_NETWORKS/],
    ["http://0.0.0.0/", /OUTGOING_ALLOWED_NETWORKS/],
    ["http://127.1/", /127\.0\.0\.1/],
    ["http://0x7f.1/", /127\.0\.0\.1/],
    ["http://2130706433/", /127\.0\.0\.1/],
    ["http://167772161/", /10\.0\.0\.1/],
    ["http://127.0.0.1.:8080/", /127\.0\.0\.1/],
  ];
  for (const [text, problem] of refused)
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => {
      expect(problemOf(text)).to.match(problem);
    });

  it("accepts http and https, names, public addresses and allowed networks", () => {
    for (const text of [
      "https://example.com",
      "http://example.com:8080/hook?a=b",
      "https://8.8.8.8/",
      "http://localhost:5002/",
      "https://[2606:4700:4700::1111]/",
      `https://example.com/${"a".repeat(maxUrlLength - 20)}`,
    ])
      expect(problemOf(text), text).to.equal(undefined);
    const rules = addressRules(parseNetworks("127.0.0.0/8"));
    expect(problemOf("http://127.1:5002/", rules)).to.equal(undefined);
    expect(problemOf("http://10.0.0.1/", rules)).to.match(/OUTGOING_ALLOWED_NETWORKS/);
  });

  it("takes http for allowed addresses only, where calls must be encrypted", () => {
    const rules = addressRules(parseNetworks("10.1.0.0/16"));
    const isTaken = (text: string) => "url" in checkUrl(text, rules, { encrypted: true });
    for (const text of ["https://example.com/", "https://10.1.0.1/", "http://10.1.0.1/"])
      expect(isTaken(text), text).to.equal(true);
    for (const text of ["http://example.com/", "http://8.8.8.8/", "http://[2606:4700::1]/"])
      expect(isTaken(text), text).to.equal(false);
    expect(isTaken("http://[::ffff:10.1.0.1]/")).to.equal(true);
  });
});
