import { allEvents, eventOf } from "@carillon/contract";
import { type Account, clientIdOf, ownPictureUrl } from "@carillon/model";
import { silentLogger } from "@carillon/kit";
import {
  changeOrganization,
  changeSettings,
  channel,
  eventsOf,
  organization,
  testSite,
  user,
  useDatabase,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import type { LoggedMessage } from "../messages/send/message-event.ts";
import { presentMessages, readMessages } from "../messages/read/read-messages.ts";
import { sendNow, type SendInput } from "../messages/send/send-now.ts";
import { queue, presented } from "./test-support.ts";

describe("message events", () => {
  const db = useDatabase();
  let org: TestOrganization;

  before(async () => {
    org = await organization(db);
    await changeOrganization(db, org.realm, { emptyTopicDisplayName: "misc" });
  });

  /** Sends a message and returns the emitted events. */
  async function emitted(sender: Account, input: Partial<SendInput>) {
    const client = { id: await clientIdOf(db, "test"), name: "test" };
    const { events } = await eventsOf(db, org.realm.id, () =>
      sendNow({ db, site: testSite(), log: silentLogger }, sender, client, {
        type: "channel",
        to: undefined,
        topic: "lunch",
        content: "*hello*",
        readBySender: undefined,
        queueId: undefined,
        localId: undefined,
        ...input,
      }),
    );
    return events;
  }

  /** Sends a message and returns its event. */
  async function sent(sender: Account, input: Partial<SendInput>) {
    const event = (await emitted(sender, input)).find(({ type }) => type === "message");
    if (!event) throw new Error("no event of the message");
    return event;
  }

  async function read(viewer: Account, id: number, form: Form) {
    const { emptyTopicName: allowEmptyTopicName, ...rest } = form;
    const siteUrl = testSite().url;
    const request = { messageIds: [id], narrow: [] };
    const retrieval = await db.transaction((tx) => readMessages(tx, viewer, request), {
      mode: "repeatable read read only",
    });
    const presented = await presentMessages(retrieval, viewer, {
      ...rest,
      allowEmptyTopicName,
      siteUrl,
    });
    const [message] = presented.messages;
    if (!message) throw new Error(`message ${id} cannot be read`);
    return message;
  }

  interface Form {
    applyMarkdown: boolean;
    clientGravatar: boolean;
    emptyTopicName: boolean;
  }
  const forms: Form[] = [true, false].flatMap((applyMarkdown) =>
    [true, false].flatMap((clientGravatar) =>
      [true, false].map((emptyTopicName) => ({ applyMarkdown, clientGravatar, emptyTopicName })),
    ),
  );
  const queueFor = ({ id }: { id: number }, { emptyTopicName, ...options }: Form) =>
    queue({ ...options, capabilities: emptyTopicName ? ["empty_topic_name"] : [] }, id);

  // The log outlives an upgrade: older rows had a single URL of the sender's picture for all receivers.
  it("from before pictures were logged are still sent, without revealing hidden addresses", async () => {
    const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
    const open = await user(db, org.realm, { settings: { email_address_visibility: 1 } });
    const room = await channel(db, org.realm, { subscribers: [hidden, open, org.member] });
    for (const sender of [hidden, open]) {
      const event = await sent(sender, { to: room.id });
      const { picture, message, ...rest } = event.payload as unknown as LoggedMessage;
      const avatar_url = ownPictureUrl("", picture);
      const old = { ...event, payload: { ...rest, message: { ...message, avatar_url } } };
      for (const viewer of [org.member, sender]) {
        const to = queue({ clientGravatar: false }, viewer.id);
        const [shown] = presented(old, to);
        expect(shown).to.deep.equal(presented(event, to)[0]);
        expect(shown?.["message"]).to.have.property(
          "avatar_url",
          viewer === org.member && sender === hidden
            ? `http://carillon.test/avatar/${hidden.id}?version=1`
            : avatar_url,
        );
      }
    }
  });

  it("contain the message as it can be read, in each of its eight formats, with the flags beside it", async () => {
    const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
    const room = await channel(db, org.realm, { subscribers: [hidden, org.member, org.guest] });
    const all = [
      await sent(org.member, {
        to: room.id,
        topic: "",
        content: `/me greets @**${org.guest.fullName}** at example.com`,
      }),
      await sent(hidden, { to: room.id, topic: "see https://example.com" }),
      await sent(hidden, { type: "direct", to: [org.guest.id, org.member.id], topic: undefined }),
    ];
    for (const event of all)
      for (const form of forms) {
        const { id } = event.payload["message"] as { id: number };
        const { flags, ...message } = await read(org.guest, id, form);
        expect(presented(event, queueFor(org.guest, form)), JSON.stringify(form)).to.deep.equal([
          { type: "message", message, flags },
        ]);
      }
  });

  it("contain each receiver's own flags", async () => {
    const room = await channel(db, org.realm, { subscribers: [org.member, org.guest, org.admin] });
    const content = `@**all** @**${org.guest.fullName}**`;
    const event = await sent(org.admin, { to: room.id, content, readBySender: true });
    const flagsOf = ({ id }: Account) => presented(event, queue({}, id))[0]?.["flags"];
    const wildcard = ["stream_wildcard_mentioned", "wildcard_mentioned"];
    expect(flagsOf(org.member)).to.deep.equal(wildcard);
    expect(flagsOf(org.guest)).to.deep.equal(["mentioned", ...wildcard]);
    expect(flagsOf(org.admin)).to.deep.equal(["read", ...wildcard]);
  });

  it("contain no flags for listeners of all public channels, mentioned or not", async () => {
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const content = `@**all** @**${org.admin.fullName}**`;
    const event = await sent(org.member, { to: room.id, content });
    for (const listener of [org.admin, org.moderator]) {
      const [one, ...more] = presented(
        event,
        queue({ allPublicChannels: true }, listener.id),
        "public",
      );
      expect(one?.["flags"]).to.deep.equal([]);
      expect(one).to.have.all.keys("type", "message", "flags");
      expect(more).to.deep.equal([]);
    }
  });

  it("contain the local id only for the queue that sent the message", async () => {
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const event = await sent(org.member, { to: room.id, queueId: "mine", localId: "7.01" });
    const [own] = presented(event, queue({}, org.member.id, "mine"));
    expect(own).to.have.all.keys("type", "message", "flags", "local_message_id");
    expect(own?.["local_message_id"]).to.equal("7.01");
    const [other] = presented(event, queue({}, org.member.id, "other"));
    expect(other).to.have.all.keys("type", "message", "flags");
  });

  it("share one message object among queues with the same options", async () => {
    const room = await channel(db, org.realm, { subscribers: [org.member, org.guest] });
    const event = await sent(org.member, { to: room.id, topic: "" });
    const messages = [org.member, org.guest, org.member].flatMap((account) =>
      forms.map((form) => presented(event, queueFor(account, form))[0]?.["message"]),
    );
    expect(new Set(messages).size).to.equal(forms.length);
  });

  it("tell whether their channel is public", async () => {
    const [open, closed] = [
      await channel(db, org.realm, { subscribers: [org.member] }),
      await channel(db, org.realm, { inviteOnly: true, subscribers: [org.member] }),
    ];
    const isPublic = async (input: Partial<SendInput>) => {
      const { type, op, payload } = await sent(org.member, input);
      return eventOf(type, op)?.forAllPublic?.(payload);
    };
    expect(await isPublic({ to: open.id })).to.equal(true);
    expect(await isPublic({ to: closed.id })).to.equal(false);
    const direct = { type: "direct", to: [org.guest.id], topic: undefined } as const;
    expect(await isPublic(direct)).to.equal(false);
    expect(allEvents.filter((event) => "forAllPublic" in event)).to.have.lengthOf(1);
  });

  it("are sent with the visibility policy that sending changed", async () => {
    const friend = await user(db, org.realm);
    await changeSettings(db, friend, { automatically_follow_topics_policy: 2 });
    const room = await channel(db, org.realm, { subscribers: [friend] });
    const events = await emitted(friend, { to: room.id, topic: "" });
    const [event, ...more] = events.filter(({ type }) => type === "user_topic");
    if (!event) throw new Error("no event of the topic");
    expect(more).to.deep.equal([]);
    const policy = { stream_id: room.id, visibility_policy: 3 };
    const last_updated = event.payload["last_updated"];
    expect(presented(event, queue({}, friend.id))).to.deep.equal([
      { type: "user_topic", ...policy, topic_name: "misc", last_updated },
    ]);
    expect(
      presented(event, queue({ capabilities: ["empty_topic_name"] }, friend.id)),
    ).to.deep.equal([{ type: "user_topic", ...policy, topic_name: "", last_updated }]);
  });
});
