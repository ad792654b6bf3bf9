import {
  channelAudience,
  channelWatching,
  channelsShownIn,
  sameFor,
  kindsOfEach,
  patchedChannel,
  type ReceivedEvent,
  unique,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §5, events.md §4, as GET /events delivers them.
describe("PATCH /streams/{stream_id}: events of archived channels", () => {
  const scene = useScene({ row: { enableSpectatorAccess: true } });
  const watching = channelWatching(scene);
  const { newChannel, received } = watching;
  const { ofPublic } = channelAudience;

  describe("changes of an archived channel", () => {
    it("are sent to clients that know archived channels", async () => {
      const { id } = await newChannel({ isArchived: true });
      const seen = await received(id, { description: "put away" });
      expect(kindsOfEach(seen)).to.deep.equal(sameFor(ofPublic, ["stream/update"]));
    });

    it("are not sent to other clients, whoever sees the channel now", async () => {
      const { id } = await newChannel({ isArchived: true });
      for (const params of [
        { description: "away" },
        { is_private: true },
        { is_private: false },
        { can_send_message_group: { new: scene.org.groups["role:owners"] } },
      ])
        expect(
          await received(id, params, scene.org.owner, {}),
          JSON.stringify(params),
        ).to.deep.equal({});
    });
  });

  describe("unarchiving a channel together with other changes", () => {
    const called = unique("back");
    const back = {
      is_archived: false,
      is_private: false,
      new_name: called,
      is_default_stream: true,
    };
    const hidden = () => newChannel({ inviteOnly: true, isArchived: true });

    it("sends one event for each change to clients that know archived channels", async () => {
      const { id, name } = await hidden();
      const seen = await received(id, back);
      const properties = (events: ReceivedEvent[] = []) =>
        events.map(({ type, op, property }) => property ?? `${type}/${op ?? ""}`);
      expect(properties(seen["admin"])).to.deep.equal([
        "invite_only",
        "name",
        "is_archived",
        "default_streams/",
      ]);
      expect(seen["admin"]?.map((event) => event["name"])).to.deep.equal([
        name,
        name,
        called,
        undefined,
      ]);
      expect(properties(seen["stranger"])).to.deep.equal([
        "stream/create",
        "subscription/peer_add",
        "is_archived",
        "default_streams/",
      ]);
      await patchedChannel(scene, id, { new_name: name });
    });

    it("sends the resulting channel once to other clients", async () => {
      const { id } = await hidden();
      const seen = await received(id, back, scene.org.owner, {});
      const shown = ["stream/create", "subscription/peer_add", "default_streams"];
      const own = ["stream/create", "subscription/add"];
      expect(kindsOfEach(seen)).to.deep.equal({
        ...sameFor(["admin", "moderator", "bot", "holder", "stranger"], shown),
        ...sameFor(["owner", "member"], [...own, "default_streams"]),
        guest: own,
      });
      const [object] = channelsShownIn(seen["stranger"]);
      expect(object).to.include({ name: called, invite_only: false, is_archived: false });
    });
  });
});
