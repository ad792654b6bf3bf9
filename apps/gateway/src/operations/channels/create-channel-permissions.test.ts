import { channelPermissions, createChannel, getChannel } from "@carillon/contract";
import {
  channel,
  organization,
  refused,
  type TestAccount,
  unique,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §2: the same rules apply to each of the eleven permissions.
describe("POST /channels/create: permissions", () => {
  const scene = useScene();
  const set = (direct_members: number[], direct_subgroups: number[] = []) => ({
    direct_members,
    direct_subgroups,
  });
  const create = (params: object, by: TestAccount) =>
    scene
      .as(by)
      .call(createChannel, { params: { name: unique("room"), subscribers: [], ...params } });

  let unusable: { readonly groups: readonly number[]; readonly accounts: readonly number[] };
  before(async () => {
    const { db, org } = scene;
    const other = await organization(db);
    const gone = await user(db, org.realm, { isActive: false });
    const past = await userGroup(db, org.realm, { deactivated: true });
    const { canAdministerChannelGroupId } = await channel(db, org.owner);
    unusable = {
      // The anonymous group of another permission cannot be referred to.
      groups: [2_000_000_000, past.id, other.groups["role:members"], canAdministerChannelGroupId],
      accounts: [2_000_000_000, gone.id, other.member.id, org.notificationBot.id],
    };
  });

  it("covers eleven permissions", () => {
    expect(Object.keys(channelPermissions)).to.have.length(11);
  });

  for (const { name, allowEveryone, default: initial } of Object.values(channelPermissions))
    describe(name, () => {
      const valueOf = async (given: unknown) => {
        const { owner } = scene.org;
        const { body } = await create({ [name]: given }, owner);
        expect(body.result, body.msg).to.equal("success");
        const path = { stream_id: body.id };
        const { stream } = await scene.as(owner).succeed(getChannel, { path });
        return stream[name as "can_send_message_group"];
      };
      const refuses = (given: unknown) =>
        refused(scene.db, () => create({ [name]: given }, scene.org.owner), "BAD_REQUEST", {});

      it("defaults to the declared group", async () => {
        const { owner, groups } = scene.org;
        const creator = set([owner.id]);
        expect(await valueOf(undefined)).to.deep.equal(
          initial === "creator" ? creator : groups[initial],
        );
      });

      it("accepts named groups and anonymous groups, and simplifies the latter", async () => {
        const { db, org } = scene;
        const { groups, member, guest, bot } = org;
        const group = await userGroup(db, org.realm);
        for (const id of [groups["role:nobody"], groups["role:fullmembers"], group.id]) {
          expect(await valueOf(id)).to.equal(id);
          expect(await valueOf(set([], [id]))).to.equal(id);
        }
        expect(await valueOf(set([]))).to.equal(groups["role:nobody"]);
        const several = [member.id, guest.id, bot.id].toSorted((a, b) => b - a);
        expect(await valueOf(set([...several, ...several], [group.id]))).to.deep.equal(
          set(
            several.toSorted((a, b) => a - b),
            [group.id],
          ),
        );
      });

      it(`${allowEveryone ? "takes" : "refuses"} role:everyone and refuses role:internet`, async () => {
        const { groups } = scene.org;
        const everyone = groups["role:everyone"];
        for (const value of [everyone, set([], [everyone])])
          if (allowEveryone) expect(await valueOf(value)).to.equal(everyone);
          else await refuses(value);
        await refuses(groups["role:internet"]);
        await refuses(set([], [groups["role:internet"]]));
      });

      it("refuses groups and accounts that are unknown, deactivated or of another organization", async () => {
        const { org } = scene;
        for (const id of unusable.groups) {
          await refuses(id);
          await refuses(set([org.member.id], [id]));
        }
        for (const id of unusable.accounts) await refuses(set([id]));
      });
    });
});
