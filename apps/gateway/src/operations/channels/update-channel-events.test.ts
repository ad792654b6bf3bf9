import { type GroupSettingValue, channelPermissions } from "@carillon/contract";
import {
  channelAudience,
  channelWatching,
  fieldsOfEvent,
  sameFor,
  kindsOfEach,
  patchedChannel,
  type ChannelPatch,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §5, events.md §4, as GET /events delivers them.
describe("PATCH /streams/{stream_id}: events", () => {
  const scene = useScene({ row: { enableSpectatorAccess: true } });
  const watching = channelWatching(scene);
  const { newChannel, received } = watching;
  const { nonGuests, ofPublic, ofPrivate, all } = channelAudience;

  describe("a change of one property", () => {
    it("names the channel by its old name in a change of the name", async () => {
      const { id } = await newChannel({ name: "Old tower" });
      const seen = await received(id, { new_name: "New tower" });
      expect(Object.keys(seen)).to.have.members(ofPublic);
      for (const events of Object.values(seen))
        expect(events.map(fieldsOfEvent)).to.deep.equal([
          { stream_id: id, name: "Old tower", property: "name", value: "New tower" },
        ]);
    });

    it("includes the HTML in a change of the description", async () => {
      const { id, name } = await newChannel();
      const { admin } = await received(id, { description: "**loud**" });
      expect(admin?.map(fieldsOfEvent)).to.deep.equal([
        {
          stream_id: id,
          name,
          property: "description",
          value: "**loud**",
          rendered_description: "<p><strong>loud</strong></p>",
        },
      ]);
    });

    it("contains the displayed value of other properties", async () => {
      const { db, org } = scene;
      const folder = await db.prisma.channelFolder.create({
        data: { realmId: org.realm.id, name: "Bells" },
      });
      const { id, name } = await newChannel();
      const changes: ReadonlyArray<readonly [ChannelPatch, string, unknown]> = [
        [{ folder_id: folder.id }, "folder_id", folder.id],
        [{ folder_id: null }, "folder_id", null],
        [{ message_retention_days: 8 }, "message_retention_days", 8],
        [{ message_retention_days: "unlimited" }, "message_retention_days", -1],
        [{ message_retention_days: "realm_default" }, "message_retention_days", null],
        [{ topics_policy: "disable_empty_topic" }, "topics_policy", "disable_empty_topic"],
      ];
      for (const [params, property, value] of changes) {
        const seen = await received(id, params);
        expect(Object.keys(seen)).to.have.members(ofPublic);
        expect(seen["member"]?.map(fieldsOfEvent)).to.deep.equal([
          { stream_id: id, name, property, value },
        ]);
      }
    });

    it("contains permissions in the response format", async () => {
      const { id, name } = await newChannel();
      const { owner, member, groups } = { ...scene.org };
      const set = {
        direct_members: [owner.id, member.id].sort((a, b) => a - b),
        direct_subgroups: [groups["role:moderators"]],
      };
      for (const { name: property } of Object.values(channelPermissions)) {
        if (property === "can_send_message_group") continue;
        for (const value of [watching.group.id, set] as GroupSettingValue[]) {
          const seen = await received(id, { [property]: { new: value } });
          expect(Object.keys(seen), property).to.have.members(ofPublic);
          expect(seen["guest"]?.map(fieldsOfEvent)).to.deep.equal([
            { stream_id: id, name, property, value },
          ]);
        }
      }
    });

    it("sends the posting policy to older clients if it changes", async () => {
      const { id } = await newChannel();
      const { groups } = scene.org;
      const send = async (value: number) => {
        const { member } = await received(id, { can_send_message_group: { new: value } });
        return member?.map(({ property, value: now }) => [property, now]);
      };
      const admins = groups["role:administrators"];
      expect(await send(admins)).to.deep.equal([
        ["can_send_message_group", admins],
        ["stream_post_policy", 2],
        ["is_announcement_only", true],
      ]);
      const moderators = groups["role:moderators"];
      expect(await send(moderators)).to.deep.equal([
        ["can_send_message_group", moderators],
        ["stream_post_policy", 4],
        ["is_announcement_only", false],
      ]);
      expect((await send(watching.group.id))?.map(([property]) => property)).to.deep.equal([
        "can_send_message_group",
        "stream_post_policy",
        "is_announcement_only",
      ]);
      expect(await send(groups["role:everyone"])).to.deep.equal([
        ["can_send_message_group", groups["role:everyone"]],
      ]);
    });

    it("sends all default channels to all accounts but guests", async () => {
      const first = await newChannel({ isDefault: true });
      const { id } = await newChannel();
      const on = await received(id, { is_default_stream: true });
      expect(kindsOfEach(on)).to.deep.equal(sameFor(nonGuests, ["default_streams"]));
      expect(on["member"]?.[0]?.["default_streams"]).to.include.members([first.id, id]);
      const off = await received(id, { is_default_stream: false });
      expect(off["member"]?.[0]?.["default_streams"]).to.include(first.id).and.not.include(id);
    });
  });

  it("sends one event for each changed property of a request, the name last", async () => {
    const { id, name, description } = await newChannel();
    const seen = await received(id, {
      description,
      is_web_public: false,
      new_name: "Several",
      topics_policy: "allow_empty_topic",
      message_retention_days: 5,
      can_resolve_topics_group: { new: scene.org.groups["role:members"] },
    });
    expect(seen["member"]?.map((event) => [event["property"], event["name"]])).to.deep.equal([
      ["can_resolve_topics_group", name],
      ["message_retention_days", name],
      ["topics_policy", name],
      ["name", name],
    ]);
  });

  it("of a private channel is sent to subscribers, administrators and members of its permission groups", async () => {
    for (const permission of ["canAdministerChannelGroupId", "canSubscribeGroupId"] as const) {
      const { id } = await newChannel({
        inviteOnly: true,
        groups: { [permission]: watching.group.id },
      });
      const seen = await received(id, { description: "for few" });
      expect(kindsOfEach(seen)).to.deep.equal(sameFor([...ofPrivate, "holder"], ["stream/update"]));
    }
  });

  it("of a web-public channel is sent to all accounts", async () => {
    const { id } = await newChannel({ isWebPublic: true });
    expect(kindsOfEach(await received(id, { description: "for all" }))).to.deep.equal(
      sameFor(all, ["stream/update"]),
    );
  });

  it("is not sent to deactivated accounts", async () => {
    const { db, org } = scene;
    const gone = await user(db, org.realm);
    const { id } = await newChannel({ inviteOnly: true, subscribers: [org.owner, gone] });
    await db.rows("UPDATE users SET is_active = false WHERE id = $1", [gone.id]);
    await db.rows("UPDATE subscriptions SET is_user_active = false WHERE user_id = $1", [gone.id]);
    await patchedChannel(scene, id, { description: "without them" }, org.owner);
    const [{ audience } = { audience: [] }] = await db.rows<{ audience: number[] }>(
      "SELECT audience FROM event_log WHERE type = 'stream' ORDER BY seq DESC LIMIT 1",
    );
    expect(audience).to.include(org.owner.id).and.not.include(gone.id);
  });
});
