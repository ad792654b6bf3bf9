import {
  botObject,
  channelFolderObject,
  channelObject,
  domainObject,
  draftResource,
  emojiObject,
  linkifierObject,
  messageSeries,
  navigationView,
  profileFieldObject,
  reminderResource,
  savedSnippet,
  scheduledMessageResource,
  statusObject,
  subscriptionObject,
  userGroupObject,
  userObject,
} from "@carillon/contract";
import { channel, inSeconds, useScene } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";

import type { SnapshotLists } from "./index.ts";
import { clientFor } from "./test-support/servers.ts";

/** What the server's declarations say about each list. */
const shapes: Readonly<Record<keyof SnapshotLists, z.ZodType>> = {
  alert_words: z.array(z.string()),
  channel_folders: z.array(channelFolderObject),
  custom_profile_fields: z.array(profileFieldObject),
  drafts: z.array(draftResource),
  max_message_id: z.int(),
  message_series: z.array(messageSeries),
  navigation_views: z.array(navigationView),
  never_subscribed: z.array(channelObject),
  realm_bots: z.array(botObject),
  realm_domains: z.array(domainObject),
  realm_emoji: z.record(z.string(), emojiObject),
  realm_linkifiers: z.array(linkifierObject),
  realm_user_groups: z.array(userGroupObject),
  realm_users: z.array(userObject.omit({ is_active: true })),
  realm_non_active_users: z.array(userObject.omit({ is_active: true })),
  reminders: z.array(reminderResource),
  saved_snippets: z.array(savedSnippet),
  scheduled_messages: z.array(scheduledMessageResource),
  streams: z.array(channelObject),
  subscriptions: z.array(subscriptionObject),
  unsubscribed: z.array(subscriptionObject),
  user_status: z.record(z.string(), statusObject),
};

describe("The snapshot of a client", () => {
  const scene = useScene();

  it("has the lists that its type describes", async () => {
    const { db, org } = scene;
    const client = clientFor(scene.gateway.url, org.owner);
    const room = await channel(db, org.owner, { subscribers: [org.owner] });
    const place = { to: room.id, topic: "t", content: "c" };
    const { id } = await client.sendMessage({ type: "channel", ...place });
    await client.addAlertWords({ alert_words: ["word"] });
    await client.createChannelFolder({ name: "folder", description: "" });
    await client.createDrafts({ drafts: [{ type: "stream", ...place, to: [room.id] }] });
    await client.createSavedSnippet({ title: "t", content: "c" });
    await client.createLinkifier({
      pattern: "#(?P<id>[0-9]+)",
      url_template: "https://a.test/{id}",
    });
    await client.addDomain({ domain: "a.test", allow_subdomains: false });
    await client.createBot({ full_name: "Bot", short_name: "robot" });
    await client.updateStatus({ status_text: "busy" });
    const time = inSeconds(3_600);
    await client.createScheduledMessage({
      type: "channel",
      ...place,
      scheduled_delivery_timestamp: time,
    });
    await client.createReminder({ message_id: id, scheduled_delivery_timestamp: time });
    const end = new AbortController();
    for await (const item of client.events({ signal: end.signal })) {
      if (item.type !== "registered") continue;
      const { snapshot } = item;
      const faults = Object.entries(shapes).flatMap(([name, shape]) => {
        const { error } = shape.safeParse(snapshot[name]);
        return error ? [`${name}: ${error.message}`] : [];
      });
      // Opt-in.
      expect(snapshot.message_series).to.equal(undefined);
      expect(faults.filter((fault) => !fault.startsWith("message_series"))).to.deep.equal([]);
      const { drafts, reminders, realm_linkifiers: linkifiers, realm_bots: bots } = snapshot;
      for (const list of [drafts, reminders, linkifiers, bots, snapshot.scheduled_messages])
        expect(list).to.have.length.above(0);
      break;
    }
    const asked = client.events({ fetch_event_types: ["message_series"], signal: end.signal });
    for await (const item of asked) {
      if (item.type === "registered") expect(item.snapshot.message_series).to.deep.equal([]);
      break;
    }
  });
});
