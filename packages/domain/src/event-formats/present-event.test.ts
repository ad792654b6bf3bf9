import { eventOf } from "@carillon/contract";
import { defaultChannelsEvent } from "@carillon/model";
import { scheduledKind } from "@carillon/scheduling";
import { organization, testSite, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { presentScheduled, scheduledEvents } from "../scheduled/scheduled-events.ts";
import type { ScheduledRow } from "../scheduled/row.ts";
import { presentEvent } from "./present-event.ts";
import { allBut, logged, queue, presented } from "./test-support.ts";

describe("the events of a queue", () => {
  const db = useDatabase();

  it("have only the types that it requested", () => {
    const event = logged({ type: "alert_words", payload: { alert_words: ["cake"] } });
    const outcome = [{ type: "alert_words", alert_words: ["cake"] }];
    expect(presented(event, queue({ eventTypes: null }))).to.deep.equal(outcome);
    expect(presented(event, queue({ eventTypes: ["message", "alert_words"] }))).to.deep.equal(
      outcome,
    );
    expect(presented(event, queue({ eventTypes: ["message"] }))).to.deep.equal([]);
    expect(presented(event, queue({ eventTypes: [] }))).to.deep.equal([]);
  });

  it("have opt-in types only if it names them", () => {
    const declared = { ...eventOf("muted_users", undefined)!, optIn: true } as const;
    const event = { ...logged({ type: "muted_users", payload: { muted_users: [] } }), declared };
    const place = { siteUrl: "http://carillon.test", host: "" };
    const { secrets } = testSite();
    const context = { emptyTopicDisplayName: "misc", ...place, realmEmoji: {}, secrets };
    const sent = (eventTypes: readonly string[] | null) =>
      presentEvent(event, queue({ eventTypes }), context, "audience");
    expect(sent(null)).to.deep.equal([]);
    expect(sent(["message"])).to.deep.equal([]);
    expect(sent(["muted_users"])).to.deep.equal([{ type: "muted_users", muted_users: [] }]);
  });

  it("are filtered by the logged type, even if older clients receive another event", () => {
    const payload = { group_id: 7, data: { deactivated: true } };
    const event = logged({ type: "user_group", op: "update", payload });
    expect(presented(event, queue({ eventTypes: ["user_group"] }))).to.deep.equal([
      { type: "user_group", op: "remove", group_id: 7 },
    ]);
  });

  it("contain the receiver's own fields instead of the common ones", () => {
    const event = logged({
      type: "news",
      op: "add",
      payload: { a: 1, b: 2 },
      userData: { 1: { b: 3 } },
    });
    expect(presented(event, queue({}, 1))).to.deep.equal([{ type: "news", op: "add", a: 1, b: 3 }]);
    expect(presented(event, queue({}, 2))).to.deep.equal([{ type: "news", op: "add", a: 1, b: 2 }]);
    expect(presented(event, queue({}, 1), "public")).to.deep.equal([
      { type: "news", op: "add", a: 1, b: 2 },
    ]);
  });

  it("contain default channels as logged", async () => {
    const { realm } = await organization(db);
    const event = logged(await defaultChannelsEvent(db, realm.id));
    expect(presented(event, queue())).to.deep.equal([
      { type: "default_streams", default_streams: [] },
    ]);
  });

  it("contain scheduled messages as logged, including the empty topic", () => {
    const row: ScheduledRow = {
      id: 5,
      kind: scheduledKind.sendLater,
      senderId: 1,
      channelId: 4,
      memberIds: null,
      topic: "",
      content: "later",
      renderedContent: "<p>later</p>",
      clientId: 1,
      deliverAt: 1_750_000_000,
      version: 1,
      readBySender: true,
      delivered: false,
      failed: false,
      targetId: null,
      note: null,
      unless: null,
      seriesId: null,
      occurrence: null,
      detached: false,
    };
    const record = presentScheduled(row);
    const head = { type: "scheduled_messages" };
    expect(presented(logged(scheduledEvents.add(row)), queue())).to.deep.equal([
      { ...head, op: "add", scheduled_messages: [record] },
    ]);
    expect(presented(logged(scheduledEvents.update(row)), queue())).to.deep.equal([
      { ...head, op: "update", scheduled_message: record },
    ]);
    expect(presented(logged(scheduledEvents.remove(row)), queue())).to.deep.equal([
      { ...head, op: "remove", scheduled_message_id: 5 },
    ]);
  });

  /** Events that are equal for all queues (events.md §4). */
  const alike: ReadonlyArray<[type: string, op: string | undefined, payload: object]> = [
    ["channel_folder", "add", { channel_folder: { id: 1, name: "house" } }],
    ["channel_folder", "update", { channel_folder_id: 1, data: { name: "home" } }],
    ["channel_folder", "reorder", { order: [2, 1] }],
    ["realm_bot", "add", { bot: { user_id: 9, services: [] } }],
    ["realm_bot", "update", { bot: { user_id: 9, default_all_public_streams: true } }],
    ["realm_bot", "delete", { bot: { user_id: 9 } }],
    ["realm", "update", { property: "name", value: "House" }],
    ["realm", "update_dict", { property: "default", data: { can_create_groups: 12 } }],
    ["realm_user_settings_defaults", "update", { property: "emojiset", value: "text" }],
    [
      "user_settings",
      "update",
      { property: "default_language", value: "de", language_name: "Deutsch" },
    ],
    ["custom_profile_fields", undefined, { fields: [{ id: 1, name: "Phone" }] }],
    ["alert_words", undefined, { alert_words: [] }],
    ["reminders", "add", { reminders: [{ reminder_id: 3 }] }],
    ["reminders", "remove", { reminder_id: 3 }],
    [
      "navigation_view",
      "add",
      { navigation_view: { fragment: "inbox", is_pinned: true, name: null } },
    ],
    ["navigation_view", "update", { fragment: "inbox", data: { is_pinned: false } }],
    ["navigation_view", "remove", { fragment: "inbox" }],
    ["device", "add", { device_id: 2 }],
    ["device", "update", { device_id: 2, push_key_id: 8 }],
    ["device", "remove", { device_id: 2 }],
    ["user_status", undefined, { user_id: 3, status_text: "cooking" }],
    ["muted_users", undefined, { muted_users: [{ id: 3, timestamp: 1_750_000_000 }] }],
    ["stream", "delete", { stream_ids: [4], streams: [{ stream_id: 4 }] }],
  ];
  for (const [type, op, payload] of alike)
    it(`contain ${op ? `${type}/${op}` : type} as logged`, () => {
      const event = logged({ type, payload, ...(op ? { op } : {}) });
      for (const capabilities of [[], allBut()])
        expect(presented(event, queue({ capabilities }))).to.deep.equal([
          { type, ...(op ? { op } : {}), ...payload },
        ]);
    });
});
