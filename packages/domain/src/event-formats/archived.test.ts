import { expect } from "chai";

import { peerEvents, peersShownEvent } from "../channel-events/peer-events.ts";
import { allBut, logged, queue, presented, presentWithAndWithout } from "./test-support.ts";

const knowing = "archived_channels";

describe("events of archived channels, for clients without archived_channels", () => {
  it("stream/delete: contains only the other channels", () => {
    const event = { type: "stream", op: "delete" };
    const removed = (...ids: number[]) => ({
      stream_ids: ids,
      streams: ids.map((stream_id) => ({ stream_id })),
    });
    const mixed = presentWithAndWithout(
      { ...event, payload: { ...removed(4, 5), archived: [5] } },
      knowing,
    );
    expect(mixed.with).to.deep.equal([{ ...event, ...removed(4, 5) }]);
    expect(mixed.without).to.deep.equal([{ ...event, ...removed(4) }]);
    const all = presentWithAndWithout(
      { ...event, payload: { ...removed(5), archived: [5] } },
      knowing,
    );
    expect(all.with).to.deep.equal([{ ...event, ...removed(5) }]);
    expect(all.without).to.deep.equal([]);
  });

  it("subscription/remove: contains only the other channels", () => {
    const event = { type: "subscription", op: "remove" };
    const kitchen = { stream_id: 4, name: "kitchen" };
    const attic = { stream_id: 5, name: "attic" };
    const both = { subscriptions: [kitchen, attic] };
    const mixed = presentWithAndWithout({ ...event, payload: { ...both, archived: [5] } }, knowing);
    expect(mixed.with).to.deep.equal([{ ...event, ...both }]);
    expect(mixed.without).to.deep.equal([{ ...event, subscriptions: [kitchen] }]);
    const all = { subscriptions: [attic], archived: [5] };
    expect(presentWithAndWithout({ ...event, payload: all }, knowing).without).to.deep.equal([]);
  });

  it("subscription/update: is not sent", () => {
    const event = { type: "subscription", op: "update" };
    const fields = { stream_id: 5, property: "pin_to_top", value: true };
    const outcome = presentWithAndWithout(
      { ...event, payload: { ...fields, archived: [5] } },
      knowing,
    );
    expect(outcome.with).to.deep.equal([{ ...event, ...fields }]);
    expect(outcome.without).to.deep.equal([]);
  });

  for (const op of ["peer_add", "peer_remove"] as const)
    it(`subscription/${op}: contains only the other channels, for one set of accounts or several`, () => {
      const audience = new Set([1, 2, 3]);
      const audiences = new Map([4, 5, 6].map((id) => [id, audience]));
      const pairs = [
        { channelId: 4, userId: 2 },
        { channelId: 5, userId: 2 },
      ];
      const presentedOf = (changed: typeof pairs, capabilities = allBut(knowing)) =>
        peerEvents(op, changed, audiences, { archived: [5, 6] }).flatMap((event) =>
          presented(logged(event), queue({ capabilities })),
        );
      const one = { type: "subscription", op, stream_ids: [4], user_ids: [2] };
      expect(presentedOf(pairs)).to.deep.equal([one]);
      expect(presentedOf(pairs, [knowing])).to.deep.equal([{ ...one, stream_ids: [4, 5] }]);
      expect(presentedOf([{ channelId: 5, userId: 2 }])).to.deep.equal([]);
      expect(presentedOf([...pairs, { channelId: 6, userId: 3 }])).to.deep.equal([one]);
    });

  it("subscription/add and peer_add: are sent to these clients only, when a channel is unarchived", () => {
    const marks = { for_clients_without: knowing } as const;
    const peers = { stream_ids: [5], user_ids: [2] };
    const shown = presentWithAndWithout(peersShownEvent(peers, [1], marks), knowing);
    expect(shown.with).to.deep.equal([]);
    expect(shown.without).to.deep.equal([{ type: "subscription", op: "peer_add", ...peers }]);
    const event = { type: "subscription", op: "add" };
    const payload = { subscriptions: [{ stream_id: 5 }], inherited: {}, ...marks };
    const added = presentWithAndWithout({ ...event, payload }, knowing);
    expect(added.with).to.deep.equal([]);
    expect(added.without).to.deep.equal([{ ...event, subscriptions: [{ stream_id: 5 }] }]);
  });

  it("delete_message and update_message_flags: are sent, because clients keep the messages", () => {
    const deletion = {
      message_ids: [7],
      message_type: "stream",
      stream_id: 5,
      topic: "lunch",
    };
    const read = { operation: "add", flag: "read", messages: [7], all: false };
    for (const event of [
      { type: "delete_message", payload: deletion },
      { type: "update_message_flags", op: "add", payload: read },
    ]) {
      const { payload, ...head } = event;
      expect(presentWithAndWithout(event, knowing).without).to.deep.equal([
        { ...head, ...payload },
      ]);
    }
  });
});
