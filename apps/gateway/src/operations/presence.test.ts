import { getPresence, listPresences, updatePresence } from "@carillon/contract";
import {
  bot,
  changeSettings,
  deactivateUser,
  eventsOf,
  organization,
  refused,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

describe("Presence", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const ping = (by: TestAccount, params: Params = {}) =>
    gateway.as(by).succeed(updatePresence, { params: { status: "active", ...params } });
  const received = (work: () => Promise<unknown>) => eventsOf(db, org.realm.id, work);
  /** Moves the account's presence into the past. */
  const age = (account: TestAccount, seconds: number) =>
    db.rows(
      `UPDATE user_presence SET active_at = active_at - make_interval(secs => $2),
         idle_at = idle_at - make_interval(secs => $2) WHERE user_id = $1`,
      [account.id, seconds],
    );
  const stored = async (account: TestAccount) => {
    const [row] = await db.rows<{ active: number | null; idle: number; updateId: number }>(
      `SELECT floor(extract(epoch FROM active_at))::bigint AS active,
         floor(extract(epoch FROM idle_at))::bigint AS idle, update_id AS "updateId"
       FROM user_presence WHERE user_id = $1`,
      [account.id],
    );
    if (!row) throw new Error(`nothing is stored of the account ${account.id}`);
    return row;
  };
  const traces = (account: TestAccount) =>
    db.prisma.userPresence.count({ where: { userId: account.id } });

  describe("POST /users/me/presence", () => {
    it("stores activity and responds by e-mail address to older clients", async () => {
      const answer = await ping(org.member, { new_user_input: true });
      const row = await stored(org.member);
      expect(row.active).to.equal(row.idle);
      const state = { client: "website", status: "active", timestamp: row.active };
      expect(answer.presences).to.deep.equal({
        [org.member.email]: { aggregated: state, website: { ...state, pushable: false } },
      });
      expect(answer.presence_last_update_id).to.equal(row.updateId);
      expect(answer.server_timestamp).to.be.a("number").and.to.be.at.least(row.idle);
      expect(answer).not.to.have.property("ignored_parameters_unsupported");
    });

    it("responds by user ID to newer clients", async () => {
      await ping(org.owner);
      const { presences } = await ping(org.member, { slim_presence: true });
      expect(Object.keys(presences ?? {}).map(Number)).to.have.members([
        org.owner.id,
        org.member.id,
      ]);
      const row = await stored(org.member);
      expect(presences?.[org.member.id]).to.deep.equal({
        active_timestamp: row.active,
        idle_timestamp: row.idle,
      });
    });

    it("keeps the last activity while the account is idle", async () => {
      await ping(org.member);
      await age(org.member, 100);
      const before = await stored(org.member);
      const { presences } = await ping(org.member, { status: "idle" });
      const after = await stored(org.member);
      expect(after.active).to.equal(before.active);
      expect(after.idle).to.be.at.least(before.idle + 100);
      expect(presences?.[org.member.email]).to.deep.include({
        aggregated: { client: "website", status: "idle", timestamp: after.idle },
      });
    });

    it("uses the creation time for accounts that were never active", async () => {
      const { presences } = await ping(org.member, { status: "idle", slim_presence: true });
      expect(presences?.[org.member.id]).to.include({
        active_timestamp: Math.floor(org.member.dateJoined),
      });
      expect((await stored(org.member)).active).to.equal(null);
    });

    it("returns no presences for ping_only", async () => {
      const answer = await ping(org.member, { ping_only: true, last_update_id: -1 });
      expect(answer).to.deep.equal({ result: "success", msg: "" });
      expect(await traces(org.member)).to.equal(1);
    });

    it("returns presences newer than an update ID, by user ID", async () => {
      await ping(org.owner);
      const first = await ping(org.member, { last_update_id: -1 });
      expect(first.presences).to.have.all.keys(String(org.owner.id), String(org.member.id));
      await ping(org.admin, { ping_only: true });
      const since = first.presence_last_update_id;
      const second = await ping(org.member, { last_update_id: since });
      expect(second.presences).to.have.all.keys(String(org.admin.id), String(org.member.id));
      expect(second.presence_last_update_id).to.be.greaterThan(Number(since));
    });

    it("returns the client's update ID if nothing is newer", async () => {
      await changeSettings(db, org.member, { presence_enabled: false });
      for (const since of [-1, 1_000_000_000, Number.MAX_SAFE_INTEGER]) {
        const answer = await ping(org.member, { last_update_id: since });
        expect(answer.presences).to.deep.equal({});
        expect(answer.presence_last_update_id).to.equal(since);
      }
    });

    it("excludes accounts last connected before the limit, which defaults to fourteen days", async () => {
      const day = 86_400;
      await ping(org.owner);
      await ping(org.admin);
      await age(org.owner, 13 * day);
      await age(org.admin, 15 * day);
      const shown = async (params: Params) => {
        const { presences } = await ping(org.member, { slim_presence: true, ...params });
        return Object.keys(presences ?? {}).map(Number);
      };
      const { owner, admin, member } = org;
      expect(await shown({})).to.have.members([owner.id, member.id]);
      expect(await shown({ history_limit_days: 12 })).to.have.members([member.id]);
      for (const days of [16, 10_000_000_000])
        expect(await shown({ history_limit_days: days })).to.have.members([
          owner.id,
          admin.id,
          member.id,
        ]);
    });

    it("neither stores nor shows presence of accounts that hide it, and sends no events", async () => {
      await ping(org.member);
      const before = await stored(org.member);
      await changeSettings(db, org.member, { presence_enabled: false });
      await age(org.member, 1_000);
      const { result, events } = await received(() => ping(org.member, { slim_presence: true }));
      expect(events).to.deep.equal([]);
      expect((result as { presences: object }).presences).to.deep.equal({});
      expect((await stored(org.member)).updateId).to.equal(before.updateId);
    });

    it("hides deactivated accounts", async () => {
      await ping(org.guest);
      await deactivateUser(db, org.guest);
      const { presences } = await ping(org.member, { slim_presence: true });
      expect(Object.keys(presences ?? {}).map(Number)).to.deep.equal([org.member.id]);
    });

    it("shows and sends nothing to other organizations", async () => {
      const other = await organization(db);
      const { events } = await eventsOf(db, other.realm.id, () => ping(org.member));
      expect(events).to.deep.equal([]);
      const { presences } = await ping(other.member, { last_update_id: -1 });
      expect(Object.keys(presences ?? {}).map(Number)).to.deep.equal([other.member.id]);
    });

    it("sends a new presence to all accounts, with fields for all clients", async () => {
      const { events } = await received(() => ping(org.member));
      expect(events).to.have.length(1);
      const row = await stored(org.member);
      const { server_timestamp, ...payload } = events[0]?.payload ?? {};
      expect(payload).to.deep.equal({
        user_id: org.member.id,
        email: org.member.email,
        active_timestamp: row.active,
        idle_timestamp: row.idle,
      });
      expect(Math.floor(Number(server_timestamp))).to.equal(row.idle);
      expect(events[0]).to.include({ type: "presence", op: null, audience: null });
    });

    it("sends another event only after the account was offline", async () => {
      await ping(org.member);
      for (const status of ["active", "idle", "active"]) {
        const { events } = await received(() => ping(org.member, { status }));
        expect(events, status).to.deep.equal([]);
      }
      await age(org.member, 120);
      expect((await received(() => ping(org.member))).events).to.deep.equal([]);
      await age(org.member, 200);
      const { events } = await received(() => ping(org.member, { status: "idle" }));
      expect(events).to.have.length(1);
      const row = await stored(org.member);
      expect(events[0]?.payload).to.include({
        active_timestamp: row.active,
        idle_timestamp: row.idle,
      });
      expect(row.active).to.be.lessThan(row.idle);
    });

    it("sends one event when several clients come online at once", async () => {
      await ping(org.member);
      await age(org.member, 200);
      const { events } = await received(() =>
        Promise.all(Array.from({ length: 5 }, () => ping(org.member))),
      );
      expect(events).to.have.length(1);
    });

    it("refuses bots and malformed parameters without storing anything", async () => {
      const refuses = (by: TestAccount, params: Params, code?: string, fields?: Params) =>
        refused(db, () => gateway.as(by).call(updatePresence, { params }), code, fields);
      await refuses(org.bot, { status: "active" });
      await refuses(org.member, { status: "offline" });
      await refuses(org.member, { status: "active", ping_only: "yes" });
      await refuses(org.member, { status: "active", slim_presence: 1 });
      await refuses(org.member, { status: "active", last_update_id: "new" });
      await refuses(org.member, { status: "active", last_update_id: -2 });
      await refuses(org.member, { status: "active", last_update_id: "9007199254740993" });
      await refuses(org.member, { status: "active", history_limit_days: -1 });
      await refuses(org.member, {}, "REQUEST_VARIABLE_MISSING", { var_name: "status" });
      const params = { status: "active" };
      const nobody = () => gateway.anonymous.call(updatePresence, { params });
      await refused(db, nobody, "UNAUTHORIZED");
      expect(await traces(org.member)).to.equal(0);
      expect(await traces(org.bot)).to.equal(0);
    });
  });

  describe("GET /users/{user_id_or_email}/presence", () => {
    const read = (by: TestAccount, named: string | number) =>
      gateway.as(by).call(getPresence, { path: { user_id_or_email: String(named) } });

    it("accepts an ID or an address, also from bots", async () => {
      await ping(org.member);
      const timestamp = (await stored(org.member)).active;
      const state = { status: "active", timestamp };
      for (const by of [org.guest, org.bot])
        for (const named of [org.member.id, org.member.email, org.member.email.toUpperCase()]) {
          const { body } = await read(by, named);
          expect(body.presence, body.msg).to.deep.equal({ aggregated: state, website: state });
        }
    });

    it("reports offline accounts", async () => {
      await ping(org.member);
      await age(org.member, 150);
      const { body } = await read(org.owner, org.member.id);
      expect(body.presence.aggregated.status).to.equal("offline");
      expect(body.presence.website.status).to.equal("active");
    });

    it("finds no account by an address that is hidden from the caller", async () => {
      const shy = await user(db, org.realm, { settings: { email_address_visibility: 3 } });
      await ping(shy);
      await refused(db, () => read(org.member, shy.deliveryEmail));
      for (const [by, named] of [
        [org.member, shy.email],
        [org.admin, shy.deliveryEmail],
        [shy, shy.deliveryEmail],
      ] as const)
        expect((await read(by, named)).body.result).to.equal("success");
    });

    it("refuses accounts that are unknown, deactivated, bots, hidden or without presence", async () => {
      const other = await organization(db);
      await ping(other.member);
      const gone = await user(db, org.realm);
      await ping(gone);
      await deactivateUser(db, gone);
      await ping(org.admin);
      await changeSettings(db, org.admin, { presence_enabled: false });
      const robot = await bot(db, org.member);
      for (const named of [
        other.member.id,
        other.member.email,
        2_000_000_000,
        "99999999999999999999",
        "nobody@carillon.test",
        gone.id,
        robot.id,
        org.admin.id,
        org.guest.id,
      ])
        await refused(db, () => read(org.owner, named));
    });
  });

  describe("GET /realm/presence", () => {
    it("returns all visible presences by e-mail address", async () => {
      await ping(org.member);
      await ping(org.owner, { status: "idle" });
      await ping(org.admin);
      await changeSettings(db, org.admin, { presence_enabled: false });
      const other = await organization(db);
      await ping(other.member);
      const answer = await gateway.as(org.bot).succeed(listPresences);
      expect(answer.presences).to.have.all.keys(org.member.email, org.owner.email);
      expect(answer).to.have.all.keys("result", "msg", "presences", "server_timestamp");
    });
  });
});
