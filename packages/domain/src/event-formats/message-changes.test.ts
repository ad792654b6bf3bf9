import { expect } from "chai";

import { logged, queue, presented, presentWithAndWithout } from "./test-support.ts";

describe("events of changes of messages", () => {
  it("update_message: contains the receiver's flags", () => {
    const fields = {
      user_id: 3,
      message_id: 9,
      message_ids: [9],
      edit_timestamp: 1_750_000_000,
      rendering_only: false,
      orig_content: "a",
      orig_rendered_content: "<p>a</p>",
      content: "b",
      rendered_content: "<p>b</p>",
      is_me_message: false,
    };
    const event = logged({
      type: "update_message",
      payload: { ...fields, flags: [] },
      userData: { 1: { flags: ["read"] } },
    });
    expect(presented(event, queue({}, 1))).to.deep.equal([
      { type: "update_message", ...fields, flags: ["read"] },
    ]);
    expect(presented(event, queue({}, 2))).to.deep.equal([
      { type: "update_message", ...fields, flags: [] },
    ]);
  });

  it("update_message: shows the empty topic, old and new, by its display name for older clients", () => {
    const fields = {
      user_id: 3,
      message_id: 9,
      message_ids: [9],
      flags: [],
      edit_timestamp: 1_750_000_000,
      rendering_only: false,
      stream_id: 4,
      stream_name: "kitchen",
      propagate_mode: "change_one",
      topic_links: [],
    };
    for (const [orig_subject, subject, shownOrig, shown] of [
      ["", "lunch", "misc", "lunch"],
      ["lunch", "", "lunch", "misc"],
    ]) {
      const payload = { ...fields, orig_subject, subject };
      const outcome = presentWithAndWithout(
        { type: "update_message", payload },
        "empty_topic_name",
      );
      expect(outcome.with).to.deep.equal([{ type: "update_message", ...payload }]);
      expect(outcome.without).to.deep.equal([
        { type: "update_message", ...fields, orig_subject: shownOrig, subject: shown },
      ]);
    }
  });

  it("delete_message: is one event for all messages, or one for each", () => {
    const place = { message_type: "stream", stream_id: 4, topic: "lunch" };
    const payload = { message_ids: [7, 9], ...place };
    const outcome = presentWithAndWithout(
      { type: "delete_message", payload },
      "bulk_message_deletion",
    );
    expect(outcome.with).to.deep.equal([{ type: "delete_message", ...payload }]);
    expect(outcome.without).to.deep.equal([
      { type: "delete_message", message_id: 7, ...place },
      { type: "delete_message", message_id: 9, ...place },
    ]);
  });

  it("delete_message: shows the empty topic by its display name, and no topic for direct messages", () => {
    const place = { message_type: "stream", stream_id: 4 };
    const payload = { message_ids: [7], ...place, topic: "" };
    const outcome = presentWithAndWithout({ type: "delete_message", payload }, "empty_topic_name");
    expect(outcome.with).to.deep.equal([
      { type: "delete_message", message_id: 7, ...place, topic: "" },
    ]);
    expect(outcome.without).to.deep.equal([
      { type: "delete_message", message_ids: [7], ...place, topic: "misc" },
    ]);
    const direct = { message_ids: [7], message_type: "private" };
    expect(presented(logged({ type: "delete_message", payload: direct }), queue())).to.deep.equal([
      { type: "delete_message", message_id: 7, message_type: "private" },
    ]);
  });

  it("submessage: is sent as logged", () => {
    const submessage = {
      msg_type: "widget",
      message_id: 7,
      submessage_id: 2,
      sender_id: 3,
      content: "{}",
    };
    expect(presented(logged({ type: "submessage", payload: submessage }), queue())).to.deep.equal([
      { type: "submessage", ...submessage },
    ]);
  });

  it("update_message_flags: shows the empty topic of unread messages by its display name", () => {
    const payload = (topic: string) => ({
      operation: "remove",
      flag: "read",
      messages: [7, 8, 9],
      all: false,
      message_details: {
        7: { type: "stream", stream_id: 4, topic, mentioned: true },
        8: { type: "stream", stream_id: 4, topic: "lunch" },
        9: { type: "private", user_ids: [3] },
      },
    });
    const head = { type: "update_message_flags", op: "remove" };
    const outcome = presentWithAndWithout({ ...head, payload: payload("") }, "empty_topic_name");
    expect(outcome.with).to.deep.equal([{ ...head, ...payload("") }]);
    expect(outcome.without).to.deep.equal([{ ...head, ...payload("misc") }]);
  });

  it("update_message_flags: is otherwise sent as logged", () => {
    const payload = { operation: "add", flag: "read", messages: [], all: true };
    const event = logged({ type: "update_message_flags", op: "add", payload });
    expect(presented(event, queue())).to.deep.equal([
      { type: "update_message_flags", op: "add", ...payload },
    ]);
  });
});
