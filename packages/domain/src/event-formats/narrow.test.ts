import { ApiError } from "@carillon/contract";
import type { NarrowTerm } from "@carillon/events";
import { expect } from "chai";

import { checkNarrow } from "./narrow.ts";
import { logged, queue, presented } from "./test-support.ts";

const channelMessage = {
  type: "stream",
  stream_id: 4,
  display_recipient: "Küche",
  subject: "Lunch plans",
  sender_email: "Mia@carillon.test",
};
const directMessage = {
  type: "private",
  display_recipient: [],
  subject: "",
  sender_email: "mia@carillon.test",
};

const picture = { user_id: 2, version: 1, hash: "", shown_to: [] };

function passes(terms: readonly NarrowTerm[], over: object = {}, flags: readonly string[] = []) {
  const message = { ...channelMessage, ...over };
  const event = logged({ type: "message", payload: { message, picture, flags } });
  return presented(event, queue({ narrow: terms })).length === 1;
}

describe("the narrow of a queue", () => {
  it("passes everything without terms, and otherwise only what matches all terms", () => {
    expect(passes([])).to.equal(true);
    expect(
      passes([
        ["channel", "küche"],
        ["topic", "lunch plans"],
      ]),
    ).to.equal(true);
    expect(
      passes([
        ["channel", "küche"],
        ["topic", "supper"],
      ]),
    ).to.equal(false);
  });

  it("matches channels by name, ignoring case", () => {
    for (const operator of ["channel", "stream"]) {
      expect(passes([[operator, "KÜCHE"]])).to.equal(true);
      expect(passes([[operator, "Küchen"]])).to.equal(false);
      expect(passes([[operator, ""]], directMessage)).to.equal(false);
    }
  });

  it("matches topics as a whole or by one of their words", () => {
    for (const operand of ["lunch PLANS", "Lunch", "plans"])
      expect(passes([["topic", operand]]), operand).to.equal(true);
    for (const operand of ["lunch pl", "lun", ""])
      expect(passes([["topic", operand]]), operand).to.equal(false);
    expect(passes([["exact-topic", "LUNCH plans"]])).to.equal(true);
    expect(passes([["exact-topic", "lunch"]])).to.equal(false);
  });

  it("matches the empty topic by either name, and direct messages by neither", () => {
    for (const operator of ["topic", "exact-topic"])
      for (const operand of ["", "misc"]) {
        expect(passes([[operator, operand]], { subject: "" })).to.equal(true);
        expect(passes([[operator, operand]], directMessage)).to.equal(false);
      }
  });

  it("matches senders by e-mail address", () => {
    expect(passes([["sender", "mia@carillon.test"]])).to.equal(true);
    expect(passes([["sender", "max@carillon.test"]])).to.equal(false);
  });

  it("matches direct messages and resolved topics", () => {
    for (const operand of ["dm", "private"]) {
      expect(passes([["is", operand]])).to.equal(false);
      expect(passes([["is", operand]], directMessage)).to.equal(true);
    }
    expect(passes([["is", "resolved"]])).to.equal(false);
    expect(passes([["is", "resolved"]], { subject: "✔ Lunch" })).to.equal(true);
  });

  it("matches by the receiver's flags", () => {
    const cases: Array<[operand: string, flags: string[], outcome: boolean]> = [
      ["unread", [], true],
      ["unread", ["read"], false],
      ["starred", [], false],
      ["starred", ["starred"], true],
      ["mentioned", ["has_alert_word"], false],
      ["mentioned", ["mentioned"], true],
      ["mentioned", ["topic_wildcard_mentioned", "wildcard_mentioned"], true],
      ["alerted", ["mentioned"], false],
      ["alerted", ["has_alert_word"], true],
    ];
    for (const [operand, flags, outcome] of cases)
      expect(passes([["is", operand]], {}, flags), `${operand}: ${flags.join()}`).to.equal(outcome);
  });

  it("uses the flags of the receiver, not the common ones", () => {
    const payload = { message: channelMessage, picture, flags: [] };
    const event = logged({ type: "message", payload, userData: { 1: { flags: ["mentioned"] } } });
    const mentions = queue({ narrow: [["is", "mentioned"]] });
    expect(presented(event, mentions)).to.have.length(1);
    expect(presented(event, mentions, "public")).to.have.length(0);
    expect(presented(event, { ...mentions, userId: 2 })).to.have.length(0);
  });

  it("filters messages only", () => {
    const event = logged({ type: "default_streams", payload: { default_streams: [1] } });
    expect(presented(event, queue({ narrow: [["is", "starred"]] }))).to.have.length(1);
  });
});

describe("checking the narrow of a registration", () => {
  it("accepts the supported terms", () => {
    const terms = [
      ["channel", "a"],
      ["stream", "a"],
      ["topic", ""],
      ["exact-topic", "b"],
      ["sender", "c@carillon.test"],
      ...["dm", "private", "starred", "unread", "mentioned", "alerted", "resolved"].map((what) => [
        "is",
        what,
      ]),
    ];
    expect(checkNarrow(terms)).to.deep.equal(terms);
    expect(checkNarrow([])).to.deep.equal([]);
  });

  it("rejects everything else", () => {
    const refused = [
      ["search", "x"],
      ["is", "followed"],
      ["is", "muted"],
      ["Channel", "a"],
      ["constructor", "a"],
      ["is", "constructor"],
      ["channel"],
      ["channel", 1],
      ["channel", "a", "b"],
      { operator: "channel", operand: "a" },
      "channel",
      null,
    ];
    for (const term of refused)
      expect(() => checkNarrow([["topic", "a"], term]), JSON.stringify(term))
        .to.throw(ApiError)
        .with.property("code", "BAD_REQUEST");
  });
});
