import { loadMetadataAudiences, subscribe, unsubscribe } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import {
  changeSettings,
  changeSubscription,
  channel,
  organization,
  useDatabase,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { subscribedEvents, unsubscribedEvents } from "../channel-events/subscription-events.ts";
import { allBut, logged, queue, presented } from "./test-support.ts";

describe("events of subscriptions", () => {
  const db = useDatabase();
  let org: TestOrganization;

  before(async () => {
    org = await organization(db);
  });

  const color = "#76ce90";
  /** Subscribes the accounts, all with one colour, so that they share one event, and returns the events. */
  function subscribing(room: TestChannel, accounts: readonly TestAccount[]): Promise<NewEvent[]> {
    return db.transaction(async (tx) => {
      const before = await loadMetadataAudiences(tx, org.realm.id, [room.id]);
      const wanted = [{ channelId: room.id, color }];
      const added = await subscribe(
        tx,
        wanted,
        accounts.map(({ id }) => id),
      );
      const events = await subscribedEvents(tx, org.realm.id, [room], added, before);
      return events.filter(({ type, op }) => type === "subscription" && op === "add");
    });
  }

  const names = [
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
  ];
  const notifications = (...values: Array<boolean | null>) =>
    Object.fromEntries(names.map((name, i) => [name, values[i]]));

  function presentedTo(event: NewEvent | undefined, account: TestAccount, knowsNull: boolean) {
    const capabilities = knowsNull
      ? (["notification_settings_null"] as const)
      : allBut("notification_settings_null");
    const [one, ...more] = presented(logged(event!), queue({ capabilities }, account.id));
    expect(more).to.deep.equal([]);
    expect(one).to.have.all.keys("type", "op", "subscriptions");
    const [subscription] = (one?.["subscriptions"] ?? []) as Array<Record<string, unknown>>;
    if (!subscription) throw new Error("no subscription in the event");
    return subscription;
  }

  it("add: fills in each account's own settings, unless the client supports null", async () => {
    const room = await channel(db, org.realm);
    await changeSettings(db, org.moderator, {
      enable_stream_push_notifications: true,
      wildcard_mentions_notify: false,
    });
    const accounts = [org.member, org.moderator, org.admin];
    const [event, ...more] = await subscribing(room, accounts);
    expect(more, "accounts that differ in these settings only share an event").to.deep.equal([]);
    for (const account of accounts) {
      const asKept = presentedTo(event, account, true);
      expect(asKept).to.include(notifications(null, null, null, null, null));
      const inherited =
        account === org.moderator
          ? notifications(false, false, true, false, false)
          : notifications(false, false, false, false, true);
      expect(presentedTo(event, account, false)).to.deep.equal({ ...asKept, ...inherited });
      expect(asKept).to.include({ stream_id: room.id, color, is_muted: false, in_home_view: true });
      expect(asKept["subscribers"]).to.deep.equal(
        accounts.map(({ id }) => id).toSorted((a, b) => a - b),
      );
    }
  });

  it("add: keeps the subscription's own settings", async () => {
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    await changeSubscription(db, room.id, org.member, {
      desktopNotifications: true,
      wildcardMentionsNotify: false,
    });
    await db.transaction((tx) => unsubscribe(tx, [room.id], [org.member.id]));
    const [event] = await subscribing(room, [org.member]);
    expect(presentedTo(event, org.member, true)).to.include(
      notifications(true, null, null, null, false),
    );
    expect(presentedTo(event, org.member, false)).to.include(
      notifications(true, false, false, false, false),
    );
  });

  it("remove: is sent as logged, followed by the channel's deletion", async () => {
    const room = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.member] });
    const events = await db.transaction(async (tx) => {
      const before = await loadMetadataAudiences(tx, org.realm.id, [room.id]);
      const removed = await unsubscribe(tx, [room.id], [org.member.id]);
      return unsubscribedEvents(tx, org.realm.id, [room], removed, before);
    });
    const own = events.filter(({ op }) => op !== "peer_remove");
    const outcome = own.flatMap((event) => presented(logged(event), queue({}, org.member.id)));
    const { id: stream_id, name } = room;
    expect(outcome).to.deep.equal([
      { type: "subscription", op: "remove", subscriptions: [{ stream_id, name }] },
      { type: "stream", op: "delete", stream_ids: [stream_id], streams: [{ stream_id }] },
    ]);
  });

  it("update: is sent as logged", () => {
    const payload = { stream_id: 4, property: "is_muted", value: true };
    const event = logged({ type: "subscription", op: "update", payload });
    expect(presented(event, queue())).to.deep.equal([
      { type: "subscription", op: "update", ...payload },
    ]);
  });
});
