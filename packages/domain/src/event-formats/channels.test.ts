import { expect } from "chai";

import { peerEvents } from "../channel-events/peer-events.ts";
import { allBut, logged, queue, presented, presentWithAndWithout } from "./test-support.ts";

const kitchen = { stream_id: 4, name: "kitchen", is_archived: false };
const attic = { stream_id: 5, name: "attic", is_archived: true };

describe("events of channels", () => {
  it("stream/create: leaves archived channels out for clients that do not support them", () => {
    const head = { type: "stream", op: "create" };
    const both = presentWithAndWithout(
      { ...head, payload: { streams: [kitchen, attic] } },
      "archived_channels",
    );
    expect(both.with).to.deep.equal([{ ...head, streams: [kitchen, attic] }]);
    expect(both.without).to.deep.equal([{ ...head, streams: [kitchen] }]);
    const archived = presentWithAndWithout(
      { ...head, payload: { streams: [attic] } },
      "archived_channels",
    );
    expect(archived.with).to.deep.equal([{ ...head, streams: [attic] }]);
    expect(archived.without).to.deep.equal([]);
  });

  it("stream/update: archiving deletes a channel and unarchiving creates it for older clients", () => {
    const head = { type: "stream", op: "update" };
    const fields = { stream_id: 4, name: "kitchen", property: "is_archived" };
    const archiving = { ...head, payload: { ...fields, value: true } };
    const end = presentWithAndWithout(archiving, "archived_channels");
    expect(end.with).to.deep.equal([{ ...head, ...fields, value: true }]);
    expect(end.without).to.deep.equal([
      { type: "stream", op: "delete", stream_ids: [4], streams: [{ stream_id: 4 }] },
    ]);
    const returning = { ...head, payload: { ...fields, value: false, channel: kitchen } };
    const back = presentWithAndWithout(returning, "archived_channels");
    expect(back.with).to.deep.equal([{ ...head, ...fields, value: false }]);
    expect(back.without).to.deep.equal([{ type: "stream", op: "create", streams: [kitchen] }]);
  });

  it("stream/update: sends changes of archived channels only to clients that support them", () => {
    const head = { type: "stream", op: "update" };
    const fields = { stream_id: 5, name: "attic", property: "name", value: "loft" };
    const outcome = presentWithAndWithout(
      { ...head, payload: { ...fields, archived: true } },
      "archived_channels",
    );
    expect(outcome.with).to.deep.equal([{ ...head, ...fields }]);
    expect(outcome.without).to.deep.equal([]);
  });

  it("stream/update: sends other changes to all clients", () => {
    const head = { type: "stream", op: "update" };
    const place = { stream_id: 4, name: "kitchen" };
    const changes = [
      { property: "description", value: "*a*", rendered_description: "<p><em>a</em></p>" },
      {
        property: "invite_only",
        value: true,
        history_public_to_subscribers: true,
        is_web_public: false,
      },
      { property: "folder_id", value: null },
      { property: "can_send_message_group", value: { direct_members: [1], direct_subgroups: [] } },
    ];
    for (const change of changes)
      for (const capabilities of [[], allBut()])
        for (const marked of [{}, { archived: false }]) {
          const event = logged({ ...head, payload: { ...place, ...change, ...marked } });
          expect(presented(event, queue({ capabilities }))).to.deep.equal([
            { ...head, ...place, ...change },
          ]);
        }
  });

  it("subscription/peer_add and peer_remove: are sent as logged", () => {
    for (const op of ["peer_add", "peer_remove"] as const) {
      const audiences = new Map([[4, new Set([1, 2, 3])]]);
      const events = peerEvents(op, [{ channelId: 4, userId: 3 }], audiences);
      expect(events.flatMap((event) => presented(logged(event), queue()))).to.deep.equal([
        { type: "subscription", op, stream_ids: [4], user_ids: [3] },
      ]);
    }
  });

  it("subscription/peer_remove: tells accounts unsubscribed together about each other", () => {
    const audiences = new Map([[4, new Set([1, 2, 3])]]);
    const pairs = [2, 3].map((userId) => ({ channelId: 4, userId }));
    const presentedTo = (op: "peer_add" | "peer_remove", userId: number) =>
      peerEvents(op, pairs, audiences)
        .filter(({ audience }) => (audience as readonly number[]).includes(userId))
        .flatMap((event) => presented(logged(event), queue({}, userId)))
        .map((event) => event["user_ids"]);
    expect([1, 2, 3].map((id) => presentedTo("peer_remove", id))).to.deep.equal([
      [[2, 3]],
      [[3]],
      [[2]],
    ]);
    expect([1, 2, 3].map((id) => presentedTo("peer_add", id))).to.deep.equal([[[2, 3]], [], []]);
  });
});
