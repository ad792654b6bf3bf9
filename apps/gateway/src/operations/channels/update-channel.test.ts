import { listChannels, updateChannel, type ChannelObject, type InputOf } from "@carillon/contract";
import {
  channel,
  refused,
  type ChannelOverrides,
  type TestAccount,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof updateChannel>]?: unknown };

// channels.md §5
describe("PATCH /streams/{stream_id}", () => {
  const scene = useScene();

  const make = (overrides?: ChannelOverrides) => channel(scene.db, scene.org.member, overrides);
  const update = ({ id }: { id: number }, params: Params, by: TestAccount = scene.org.admin) =>
    scene.as(by).call(updateChannel, { path: { stream_id: id }, params });
  const updated = async (
    room: { id: number },
    params: Params,
    by?: TestAccount,
  ): Promise<ChannelObject> => {
    const { body } = await update(room, params, by);
    expect(body, JSON.stringify(body)).to.deep.equal({ result: "success", msg: "" });
    return shown(room);
  };
  const shown = async ({ id }: { id: number }): Promise<ChannelObject> => {
    const { streams } = await scene.as(scene.org.owner).succeed(listChannels, {
      params: { include_all: true, exclude_archived: false, include_default: true },
    });
    const found = streams.find((each) => each.stream_id === id);
    if (!found) throw new Error(`there is no channel ${id}`);
    return found;
  };
  const refuses = (room: { id: number }, params: Params, by?: TestAccount, code?: string) =>
    refused(scene.db, () => update(room, params, by), code);

  describe("changes", () => {
    it("the name and the description, as on creation", async () => {
      const room = await make();
      expect(
        await updated(room, { new_name: "  Belfry ", description: "**Old**\r\nbells" }),
      ).to.include({
        name: "Belfry",
        description: "**Old** bells",
        rendered_description: "<p><strong>Old</strong> bells</p>",
      });
      expect(await updated(room, { description: "" })).to.include({
        name: "Belfry",
        description: "",
        rendered_description: "",
      });
    });

    it("the privacy, with the history that goes with it unless another is asked for", async () => {
      const room = await make({ subscribers: [scene.org.admin] });
      expect(await updated(room, { is_private: true })).to.include({
        invite_only: true,
        history_public_to_subscribers: false,
      });
      expect(await updated(room, { history_public_to_subscribers: true })).to.include({
        invite_only: true,
        history_public_to_subscribers: true,
      });
      expect(await updated(room, { is_private: false })).to.include({
        invite_only: false,
        history_public_to_subscribers: true,
      });
      expect(
        await updated(room, { is_private: true, history_public_to_subscribers: true }),
      ).to.include({ invite_only: true, history_public_to_subscribers: true });
    });

    it("permissions", async () => {
      const room = await make();
      const { groups, member } = scene.org;
      const set = { direct_members: [member.id], direct_subgroups: [groups["role:moderators"]] };
      expect(
        await updated(room, {
          can_send_message_group: { new: groups["role:moderators"] },
          can_subscribe_group: { new: set, old: groups["role:nobody"] },
        }),
      ).to.deep.include({
        can_send_message_group: groups["role:moderators"],
        stream_post_policy: 4,
        can_subscribe_group: set,
      });
    });
  });

  describe("refuses", () => {
    it("those who may read the channel but not administer it, and shows it to nobody else", async () => {
      const room = await make({ inviteOnly: true, subscribers: [scene.org.guest] });
      const { guest, moderator, member } = scene.org;
      await refuses(room, { description: "x" }, guest, "CANNOT_ADMINISTER_CHANNEL");
      const hidden = await refuses(room, { description: "x" }, moderator, "BAD_REQUEST");
      const missing = await refuses({ id: 0 }, { description: "x" }, member, "BAD_REQUEST");
      expect(hidden).to.deep.equal(missing);
    });
  });
});
