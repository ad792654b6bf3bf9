import {
  changeSettings,
  channel,
  deactivateUser,
  type GatewayClient,
  muteUser,
  organization,
  type Params,
  succeeded,
  type TestAccount,
  type TestOrganization,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

/** The fields of an object except one. */
const omit = (whole: object, field: string) =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));

/** Presence, status, muting and typing in snapshots and event queues. */
describe("Presence, status, muted users and typing for clients", () => {
  const scene = useScene();
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(scene.db);
  });

  const register = async (client: GatewayClient, params: Params) =>
    succeeded(await client.post("/api/v1/register", { event_types: [], ...params }));
  const ping = async (by: TestAccount, params: Params = {}) =>
    succeeded(
      await scene.as(by).post("/api/v1/users/me/presence", { status: "active", ...params }),
    );
  const keys = (value: unknown) => Object.keys(value as object);

  describe("The snapshot", () => {
    it("contains all presences by e-mail address, and by ID for newer clients", async () => {
      const answer = await ping(org.member);
      await ping(org.owner);
      await ping(org.admin);
      await changeSettings(scene.db, org.admin, { presence_enabled: false });
      const client = scene.as(org.guest);
      const legacy = await register(client, { fetch_event_types: ["presence"] });
      expect(keys(legacy["presences"])).to.have.members([org.member.email, org.owner.email]);
      expect(legacy["presences"]).to.deep.include(answer["presences"]);
      expect(legacy["server_timestamp"]).to.be.a("number");
      const modern = await register(client, {
        fetch_event_types: ["presence"],
        slim_presence: true,
      });
      const { presences, presence_last_update_id } = await ping(org.guest, { last_update_id: -1 });
      expect(modern["presences"]).to.deep.equal(omit(presences as object, String(org.guest.id)));
      expect(modern["presence_last_update_id"]).to.be.lessThan(Number(presence_last_update_id));
      const news = await ping(org.guest, { last_update_id: modern["presence_last_update_id"] });
      expect(keys(news["presences"])).to.deep.equal([String(org.guest.id)]);
    });

    it("excludes accounts last connected before the limit", async () => {
      await ping(org.member);
      await scene.db.rows(
        "UPDATE user_presence SET idle_at = idle_at - interval '3 days' WHERE user_id = $1",
        [org.member.id],
      );
      const shown = async (params: Params) =>
        keys((await register(scene.as(org.owner), params))["presences"]);
      const section = { fetch_event_types: ["presence"] };
      expect(await shown(section)).to.deep.equal([org.member.email]);
      expect(await shown({ ...section, presence_history_limit_days: 2 })).to.deep.equal([]);
    });

    it("contains −1 as the update ID and no presences if there are none", async () => {
      const snapshot = await register(scene.as(org.member), { fetch_event_types: ["presence"] });
      expect(snapshot).to.deep.include({ presences: {}, presence_last_update_id: -1 });
    });

    it("contains the statuses that are set, including those of deactivated accounts", async () => {
      const say = async (by: TestAccount, params: Params) =>
        succeeded(await scene.as(by).post("/api/v1/users/me/status", params));
      await say(org.member, { status_text: "away" });
      await say(org.owner, { emoji_name: "smile" });
      await say(org.moderator, { status_text: "x" });
      await say(org.moderator, { status_text: "" });
      await say(org.admin, { status_text: "gone" });
      await deactivateUser(scene.db, org.admin);
      const other = await organization(scene.db);
      await say(other.member, { status_text: "elsewhere" });
      const snapshot = await register(scene.as(org.guest), { fetch_event_types: ["user_status"] });
      expect(snapshot["user_status"]).to.deep.equal({
        [org.member.id]: { status_text: "away" },
        [org.owner.id]: {
          emoji_name: "smile",
          emoji_code: "1f642",
          reaction_type: "unicode_emoji",
        },
        [org.admin.id]: { status_text: "gone" },
      });
    });

    it("contains the accounts that the caller has muted", async () => {
      await muteUser(scene.db, org.member, org.guest);
      await muteUser(scene.db, org.owner, org.admin);
      const muted = async (by: TestAccount) =>
        (await register(scene.as(by), { fetch_event_types: ["muted_users"] }))["muted_users"];
      const [row, ...rest] = (await muted(org.member)) as Array<Record<string, unknown>>;
      expect(rest).to.deep.equal([]);
      expect(row).to.have.all.keys("id", "timestamp").and.to.include({ id: org.guest.id });
      expect(row?.["timestamp"]).to.satisfy(Number.isInteger);
      expect(await muted(org.guest)).to.deep.equal([]);
    });
  });

  describe("Queues", () => {
    const listen = async (by: TestAccount, params: Params) => {
      const client = scene.as(by);
      const { queue_id, last_event_id } = await register(client, {
        fetch_event_types: [],
        ...params,
      });
      return async () => {
        const answer = succeeded(
          await client.get("/api/v1/events", { queue_id, last_event_id, dont_block: true }),
        );
        const events = answer["events"] as Array<Record<string, unknown>>;
        return events.map((event) => omit(event, "id"));
      };
    };

    it("contain presence in the requested format", async () => {
      const types = { event_types: ["presence"] };
      const legacy = await listen(org.guest, types);
      const modern = await listen(org.guest, {
        ...types,
        client_capabilities: { simplified_presence_events: true },
      });
      const answer = await ping(org.member, { slim_presence: true });
      const own = (answer["presences"] as Record<string, { active_timestamp: number }>)[
        org.member.id
      ];
      expect(await modern()).to.deep.equal([
        { type: "presence", presences: { [org.member.id]: own } },
      ]);
      const [event] = await legacy();
      expect(event).to.have.all.keys("type", "user_id", "email", "server_timestamp", "presence");
      expect(event?.["presence"]).to.deep.equal({
        website: {
          client: "website",
          status: "active",
          timestamp: own?.active_timestamp,
          pushable: false,
        },
      });
    });

    it("contain typing events in the account's conversations, and in channels for clients that support it", async () => {
      const room = await channel(scene.db, org.owner, { subscribers: [org.member, org.guest] });
      const able = { client_capabilities: { stream_typing_notifications: true } };
      const types = { event_types: ["typing"] };
      const receiver = await listen(org.guest, { ...types, ...able });
      const older = await listen(org.guest, types);
      const sender = await listen(org.member, { ...types, ...able });
      const outsider = await listen(org.owner, { ...types, ...able });
      const typing = async (params: Params) =>
        succeeded(await scene.as(org.member).post("/api/v1/typing", params));
      await typing({ op: "start", to: [org.guest.id] });
      await typing({ op: "stop", type: "channel", stream_id: room.id, topic: "lunch" });
      const person = ({ id, email }: TestAccount) => ({ user_id: id, email });
      const direct = {
        type: "typing",
        op: "start",
        message_type: "direct",
        sender: person(org.member),
        recipients: [org.member, org.guest].sort((a, b) => a.id - b.id).map(person),
      };
      const inChannel = {
        type: "typing",
        op: "stop",
        message_type: "stream",
        sender: person(org.member),
        stream_id: room.id,
        topic: "lunch",
      };
      expect(await receiver()).to.deep.equal([direct, inChannel]);
      expect(await sender()).to.deep.equal([direct, inChannel]);
      expect(await older()).to.deep.equal([direct]);
      expect(await outsider()).to.deep.equal([]);
    });

    it("contain status and muting", async () => {
      const types = { event_types: ["user_status", "muted_users"] };
      const own = await listen(org.member, types);
      const others = await listen(org.owner, types);
      const client = scene.as(org.member);
      succeeded(await client.post("/api/v1/users/me/status", { status_text: "away" }));
      succeeded(await client.post(`/api/v1/users/me/muted_users/${org.guest.id}`));
      const status = { type: "user_status", user_id: org.member.id, status_text: "away" };
      expect(await others()).to.deep.equal([status]);
      const [first, second, ...rest] = await own();
      expect(rest).to.deep.equal([]);
      expect(first).to.deep.equal(status);
      expect(second).to.have.all.keys("type", "muted_users");
    });
  });
});
