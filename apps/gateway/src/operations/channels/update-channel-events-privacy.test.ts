import {
  channelAudience,
  channelWatching,
  channelsShownIn,
  fieldsOfEvent,
  sameFor,
  kindsOfEach,
  shownChannel,
  type ReceivedEvent,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §5, events.md §4, as GET /events delivers them.
describe("PATCH /streams/{stream_id}: events of visibility changes", () => {
  const scene = useScene({ row: { enableSpectatorAccess: true } });
  const watching = channelWatching(scene);
  const { newChannel, received } = watching;
  const { ofPublic, ofPrivate } = channelAudience;

  describe("a change of privacy", () => {
    const update = (event: ReceivedEvent | undefined) => event && fieldsOfEvent(event);

    it("sends the channel and its subscribers to accounts that gain sight of it", async () => {
      const { id, name } = await newChannel({ inviteOnly: true });
      const seen = await received(id, { is_private: false });
      expect(kindsOfEach(seen)).to.deep.equal({
        ...sameFor(ofPrivate, ["stream/update"]),
        ...sameFor(
          ["moderator", "bot", "holder", "stranger"],
          ["stream/create", "subscription/peer_add"],
        ),
      });
      expect(update(seen["guest"]?.[0])).to.deep.equal({
        stream_id: id,
        name,
        property: "invite_only",
        value: false,
        history_public_to_subscribers: true,
        is_web_public: false,
      });
      const [shown, peers] = seen["stranger"] ?? [];
      const { is_default: _default, ...now } = await shownChannel(scene, id);
      // The event has no subscribers and no first message yet: clients learn both from later events.
      const initial = { subscriber_count: 0, first_message_id: null };
      expect(shown?.["streams"]).to.deep.equal([{ ...now, ...initial }]);
      const { owner, member, guest } = scene.org;
      expect(peers && fieldsOfEvent(peers)).to.deep.equal({
        stream_ids: [id],
        user_ids: [owner.id, member.id, guest.id].sort((a, b) => a - b),
      });
    });

    it("deletes a hidden channel for accounts that are not subscribed, and updates it for others", async () => {
      const { id } = await newChannel();
      const seen = await received(id, { is_private: true });
      expect(kindsOfEach(seen)).to.deep.equal({
        ...sameFor(ofPrivate, ["stream/update"]),
        ...sameFor(["moderator", "bot", "holder", "stranger"], ["stream/delete"]),
      });
      expect(update(seen["stranger"]?.[0])).to.deep.equal({
        stream_ids: [id],
        streams: [{ stream_id: id }],
      });
      expect(seen["admin"]?.[0]).to.include({
        property: "invite_only",
        value: true,
        history_public_to_subscribers: false,
      });
    });

    it("keeps the channel for members of its permission groups", async () => {
      const { id } = await newChannel({ groups: { canAddSubscribersGroupId: watching.group.id } });
      const hidden = await received(id, { is_private: true });
      expect(kindsOfEach(hidden)["holder"]).to.deep.equal(["stream/update"]);
      const open = await received(id, { is_private: false });
      expect(kindsOfEach(open)["holder"]).to.deep.equal(["stream/update"]);
    });

    it("shows a web-public channel to guests, and deletes it for them afterwards", async () => {
      const { id } = await newChannel();
      const shown = await received(id, { is_web_public: true });
      expect(kindsOfEach(shown)).to.deep.equal({
        ...sameFor(ofPublic, ["stream/update"]),
        otherGuest: ["stream/create", "subscription/peer_add"],
      });
      const hidden = await received(id, { is_web_public: false });
      expect(kindsOfEach(hidden)).to.deep.equal({
        ...sameFor(ofPublic, ["stream/update"]),
        otherGuest: ["stream/delete"],
      });
    });

    it("sends a change of the history alone to accounts that see the channel", async () => {
      const { id } = await newChannel({ inviteOnly: true });
      const seen = await received(id, { history_public_to_subscribers: true });
      expect(kindsOfEach(seen)).to.deep.equal(sameFor(ofPrivate, ["stream/update"]));
      expect(seen["guest"]?.[0]).to.include({
        property: "invite_only",
        value: true,
        history_public_to_subscribers: true,
        is_web_public: false,
      });
    });

    it("shows a channel without subscribers with an empty list", async () => {
      const { owner } = scene.org;
      const { id } = await newChannel({
        inviteOnly: true,
        subscribers: [],
        groups: { canSubscribeGroupId: scene.org.groups["role:owners"] },
      });
      const seen = await received(id, { is_private: false }, owner);
      expect(kindsOfEach(seen)["stranger"]).to.deep.equal(["stream/create"]);
    });

    it("shows the channel with all changes of the request applied", async () => {
      const { id } = await newChannel({ inviteOnly: true, name: "Under wraps" });
      const seen = await received(id, {
        is_private: false,
        new_name: "Unwrapped",
        description: "!",
      });
      const [created] = channelsShownIn(seen["stranger"]);
      expect(created).to.include({ name: "Unwrapped", description: "!", invite_only: false });
      expect(kindsOfEach(seen)["stranger"]).to.deep.equal([
        "stream/create",
        "subscription/peer_add",
      ]);
    });

    it("deletes the channel before the new list of default channels is sent", async () => {
      const { id } = await newChannel({ isDefault: true });
      const seen = await received(id, { is_private: true, is_default_stream: false });
      expect(kindsOfEach(seen)["stranger"]).to.deep.equal(["stream/delete", "default_streams"]);
      expect(kindsOfEach(seen)["member"]).to.deep.equal(["stream/update", "default_streams"]);
    });
  });

  describe("a change of permissions that show a private channel", () => {
    const showing = [
      "can_administer_channel_group",
      "can_add_subscribers_group",
      "can_subscribe_group",
    ] as const;

    for (const permission of showing)
      it(`${permission}: shows the channel to accounts that gain it and deletes it for accounts that lose it`, async () => {
        const { groups } = scene.org;
        const { id, name } = await newChannel({ inviteOnly: true });
        const given = await received(id, { [permission]: { new: watching.group.id } });
        expect(kindsOfEach(given)).to.deep.equal({
          ...sameFor(ofPrivate, ["stream/update"]),
          holder: ["stream/create", "subscription/peer_add"],
        });
        expect(given["guest"]?.map(fieldsOfEvent)).to.deep.equal([
          { stream_id: id, name, property: permission, value: watching.group.id },
        ]);
        const [shown] = channelsShownIn(given["holder"]);
        expect(shown?.[permission]).to.equal(watching.group.id);
        const moved = await received(id, { [permission]: { new: groups["role:moderators"] } });
        expect(kindsOfEach(moved)).to.deep.equal({
          ...sameFor(ofPrivate, ["stream/update"]),
          moderator: ["stream/create", "subscription/peer_add"],
          holder: ["stream/delete"],
        });
        const set = { direct_members: [watching.otherGuest.id], direct_subgroups: [] };
        const nobody = await received(id, { [permission]: { new: set } });
        // The permission grants a guest nothing.
        expect(kindsOfEach(nobody)).to.deep.equal({
          ...sameFor(ofPrivate, ["stream/update"]),
          moderator: ["stream/delete"],
        });
      });

    it("updates accounts that still see the channel by another permission", async () => {
      const { id } = await newChannel({
        inviteOnly: true,
        groups: {
          canSubscribeGroupId: watching.group.id,
          canAddSubscribersGroupId: watching.group.id,
        },
      });
      const nobody = { new: scene.org.groups["role:nobody"] };
      const seen = await received(id, { can_subscribe_group: nobody });
      expect(kindsOfEach(seen)["holder"]).to.deep.equal(["stream/update"]);
      const last = await received(id, { can_add_subscribers_group: nobody });
      expect(kindsOfEach(last)["holder"]).to.deep.equal(["stream/delete"]);
    });

    it("sends only the update if all accounts see the channel anyway", async () => {
      const { id } = await newChannel();
      for (const permission of showing) {
        const seen = await received(id, { [permission]: { new: watching.group.id } });
        expect(kindsOfEach(seen)).to.deep.equal(sameFor(ofPublic, ["stream/update"]));
      }
    });
  });
});
