import { expect } from "chai";

import { allBut, logged, queue, presented, presentWithAndWithout } from "./test-support.ts";

const sender = { user_id: 3, email: "mia@carillon.test" };

describe("events of topics", () => {
  it("typing: in channels only for clients with the capability", () => {
    for (const op of ["start", "stop"]) {
      const payload = { message_type: "stream", sender, stream_id: 4, topic: "lunch" };
      const outcome = presentWithAndWithout(
        { type: "typing", op, payload },
        "stream_typing_notifications",
      );
      expect(outcome.with).to.deep.equal([{ type: "typing", op, ...payload }]);
      expect(outcome.without).to.deep.equal([]);
    }
  });

  it("typing: in direct messages for all clients", () => {
    const recipients = [sender, { user_id: 1, email: "max@carillon.test" }];
    const payload = { message_type: "direct", sender, recipients };
    const event = logged({ type: "typing", op: "start", payload });
    expect(presented(event, queue())).to.deep.equal([{ type: "typing", op: "start", ...payload }]);
  });

  it("typing: shows the empty topic by its display name for older clients", () => {
    const payload = { message_type: "stream", sender, stream_id: 4, topic: "" };
    const event = logged({ type: "typing", op: "start", payload });
    expect(presented(event, queue({ capabilities: allBut() }))).to.deep.equal([
      { type: "typing", op: "start", ...payload },
    ]);
    expect(presented(event, queue({ capabilities: allBut("empty_topic_name") }))).to.deep.equal([
      { type: "typing", op: "start", ...payload, topic: "misc" },
    ]);
  });

  it("user_topic: shows the empty topic by its display name for older clients", () => {
    const policy = { stream_id: 4, visibility_policy: 3, last_updated: 1_750_000_000 };
    const payload = { ...policy, topic_name: "" };
    const outcome = presentWithAndWithout({ type: "user_topic", payload }, "empty_topic_name");
    expect(outcome.with).to.deep.equal([{ type: "user_topic", ...payload }]);
    expect(outcome.without).to.deep.equal([{ type: "user_topic", ...policy, topic_name: "misc" }]);
  });
});
