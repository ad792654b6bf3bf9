import {
  announced,
  channel,
  organization,
  realmChanging,
  realmUpdate,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

describe("PATCH /realm: the waiting period", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const { change } = realmChanging({ db, as: (account) => gateway.as(account) });

  describe("waiting_period_threshold", () => {
    it("adds and removes full members at once", async () => {
      const own = await organization(db);
      const full = own.groups["role:fullmembers"];
      const old = await user(db, own.realm);
      const away = await user(db, own.realm, { isActive: false });
      await db.rows(
        "UPDATE users SET date_joined = now() - interval '10 days' - interval '1 hour' WHERE id = ANY($1::int[])",
        [[old.id, away.id]],
      );
      const inFull = async () => {
        const rows = await db.prisma.userGroupMember.findMany({
          where: { groupId: full },
          orderBy: { userId: "asc" },
        });
        return rows.map(({ userId }) => userId);
      };
      const everybody = [own.member.id, own.bot.id, old.id, away.id].sort((a, b) => a - b);
      expect(await inFull()).to.deep.equal(everybody);
      const moved = (op: string, ids: number[]) => ({
        type: "user_group",
        op,
        payload: { group_id: full, user_ids: ids.sort((a, b) => a - b) },
        audience: null,
      });
      const set = async (waiting_period_threshold: number) => {
        const { answer, events } = await change(own.owner, { waiting_period_threshold });
        expect(answer).to.deep.equal({ waiting_period_threshold });
        return announced(events);
      };
      expect(await set(10)).to.deep.equal([
        realmUpdate({ waiting_period_threshold: 10 }),
        moved("remove_members", [own.member.id, own.bot.id]),
      ]);
      expect(await inFull()).to.deep.equal([old.id, away.id].sort((a, b) => a - b));
      expect(await set(11)).to.deep.equal([
        realmUpdate({ waiting_period_threshold: 11 }),
        moved("remove_members", [old.id]),
      ]);
      expect(await inFull()).to.deep.equal([]);
      expect(await set(0)).to.deep.equal([
        realmUpdate({ waiting_period_threshold: 0 }),
        moved("add_members", [own.member.id, own.bot.id, old.id]),
      ]);
      expect(await inFull()).to.deep.equal(everybody);
    });

    it("shows and hides the private channels that full members see", async () => {
      const own = await organization(db);
      const secret = await channel(db, own.realm, {
        inviteOnly: true,
        groups: { canSubscribeGroupId: own.groups["role:fullmembers"] },
        subscribers: [own.moderator],
      });
      const set = async (waiting_period_threshold: number) => {
        const { events } = await change(own.owner, { waiting_period_threshold });
        return announced(events).slice(2);
      };
      const audience = [own.member.id, own.bot.id].sort((a, b) => a - b);
      const gone = { stream_ids: [secret.id], streams: [{ stream_id: secret.id }] };
      expect(await set(5)).to.deep.equal([
        { type: "stream", op: "delete", payload: gone, audience },
      ]);
      const [created, peers, ...none] = await set(0);
      expect(none).to.deep.equal([]);
      expect(created).to.deep.include({ type: "stream", op: "create", audience });
      expect(peers).to.deep.equal({
        type: "subscription",
        op: "peer_add",
        payload: { stream_ids: [secret.id], user_ids: [own.moderator.id] },
        audience,
      });
    });
  });
});
