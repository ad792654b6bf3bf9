import { expect } from "chai";

import { strictBase64 } from "./strict-base64.ts";

describe("strictBase64", () => {
  const bytes = Buffer.from([0xfb, 0xff, 0xbe, 1, 2, 3, 4, 5]);

  it("decodes the encoding of the given number of bytes", () => {
    expect(bytes.toString("base64")).to.equal("+/++AQIDBAU=");
    expect(strictBase64("+/++AQIDBAU=", 8)?.equals(bytes)).to.equal(true);
    expect(strictBase64("", 0)?.length).to.equal(0);
  });

  const bad: Readonly<Record<string, string>> = {
    "fewer bytes": "+/++AQIDBA==",
    "more bytes": "+/++AQIDBAUG",
    "no padding": "+/++AQIDBAU",
    "too much padding": "+/++AQIDBAU==",
    "padding before the end": "+/++AQID=BAU",
    "the URL-safe alphabet": "-_--AQIDBAU=",
    "a blank before": " /++AQIDBAU=",
    "a line break after": "+/++AQIDBAU\n",
    "a line break between": "+/++AQ\nIDBAU",
    "bits that mean nothing": "+/++AQIDBAV=",
    "another character": "+/++AQIDBA!=",
    "another alphabet's letter": "+/++AQIDBАU=",
    nothing: "",
  };
  for (const [title, text] of Object.entries(bad))
    it(`refuses ${title}`, () => expect(strictBase64(text, 8)).to.equal(undefined));
});
