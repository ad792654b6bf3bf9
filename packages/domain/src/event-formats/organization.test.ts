import { expect } from "chai";

import { logged, queue, presented, presentWithAndWithout, testEmoji } from "./test-support.ts";

describe("events of an organization's emoji and linkifiers", () => {
  it("realm_emoji: one at a time for clients that support it, all of them for others", () => {
    const realm_emoji = testEmoji;
    const changes = {
      add: { emoji: { ...testEmoji[1], id: "2" } },
      update_one: { emoji_id: "2", data: { deactivated: true } },
    };
    for (const [op, payload] of Object.entries(changes)) {
      const outcome = presentWithAndWithout(
        { type: "realm_emoji", op, payload },
        "individual_emoji_changes",
      );
      expect(outcome.with).to.deep.equal([{ type: "realm_emoji", op, ...payload }]);
      expect(outcome.without).to.deep.equal([{ type: "realm_emoji", op: "update", realm_emoji }]);
    }
    const all = { type: "realm_emoji", op: "update", payload: { realm_emoji } };
    const outcome = presentWithAndWithout(all, "individual_emoji_changes");
    expect(outcome.with).to.deep.equal([{ type: "realm_emoji", op: "update", realm_emoji }]);
    expect(outcome.without).to.deep.equal(outcome.with);
  });

  it("realm_linkifiers: none for clients that do not support their templates", () => {
    const payload = { realm_linkifiers: [{ id: 1, pattern: "#(?P<id>[0-9]+)" }] };
    const outcome = presentWithAndWithout(
      { type: "realm_linkifiers", payload },
      "linkifier_url_template",
    );
    expect(outcome.with).to.deep.equal([{ type: "realm_linkifiers", ...payload }]);
    expect(outcome.without).to.deep.equal([{ type: "realm_linkifiers", realm_linkifiers: [] }]);
  });

  it("realm_linkifiers: does not modify the log's event", () => {
    const event = logged({ type: "realm_linkifiers", payload: { realm_linkifiers: [{ id: 1 }] } });
    const before = structuredClone(event.payload);
    presented(event, queue());
    expect(event.payload).to.deep.equal(before);
  });
});
