import { createHash } from "node:crypto";
import { getOwnUser, getUser, getUsers } from "@carillon/contract";
import {
  bot,
  organization,
  refusedAlike,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Reading accounts", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const read = (by: TestAccount, id: number, params: Record<string, unknown> = {}) =>
    gateway.as(by).call(getUser, { path: { user_id: id }, params });

  it("returns a person with every field that clients require", async () => {
    const { body } = await read(org.guest, org.member.id);
    const { member } = org;
    expect(body.user).to.deep.equal({
      user_id: member.id,
      email: member.deliveryEmail,
      delivery_email: member.deliveryEmail,
      full_name: member.fullName,
      role: 400,
      is_active: true,
      is_bot: false,
      is_owner: false,
      is_admin: false,
      is_guest: false,
      is_imported_stub: false,
      timezone: "",
      date_joined: `${new Date(member.dateJoined * 1000).toISOString().slice(0, 16)}+00:00`,
      avatar_version: 1,
      avatar_url: null,
    });
  });

  it("contains the avatar's address if the client cannot compute it", async () => {
    const loud = await user(db, org.realm, { email: "LOUD@Carillon.test" });
    const { body } = await read(org.member, loud.id, {
      client_gravatar: false,
      include_custom_profile_fields: true,
    });
    const hash = createHash("md5").update("loud@carillon.test").digest("hex");
    expect(body.user).to.deep.include({
      avatar_url: `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=1`,
      profile_data: {},
    });
  });

  it("returns bots with their owner, deactivated accounts, and the role flags", async () => {
    const robot = await read(org.member, org.bot.id, { include_custom_profile_fields: true });
    expect(robot.body.user).to.include({
      is_bot: true,
      bot_type: 1,
      bot_owner_id: org.member.id,
    });
    expect(robot.body.user).not.to.have.property("profile_data");
    const gone = await user(db, org.realm, { isActive: false });
    expect((await read(org.member, gone.id)).body.user).to.include({ is_active: false });
    expect((await read(org.member, org.owner.id)).body.user).to.include({
      is_owner: true,
      is_admin: true,
    });
    expect((await read(org.member, org.notificationBot.id)).body.user).to.include({
      is_system_bot: true,
    });
  });

  const seers: Record<number, readonly string[]> = {
    1: ["owner", "admin", "moderator", "member", "guest"],
    2: ["owner", "admin", "moderator", "member"],
    3: ["owner", "admin"],
    4: [],
    5: ["owner", "admin", "moderator"],
  };
  for (const [visibility, names] of Object.entries(seers)) {
    it(`shows an address of visibility ${visibility} to ${names.join(", ") || "nobody"}`, async () => {
      const target = await user(db, org.realm, {
        settings: { email_address_visibility: Number(visibility) },
      });
      for (const name of ["owner", "admin", "moderator", "member", "guest"] as const) {
        const { body } = await read(org[name], target.id);
        const expected = names.includes(name) ? target.deliveryEmail : null;
        expect(body.user.delivery_email, name).to.equal(expected);
        if (visibility !== "1") {
          expect(body.user.email).to.equal(target.email).and.not.to.equal(target.deliveryEmail);
          expect(body.user.avatar_url).to.be.a("string");
        }
      }
      expect((await read(target, target.id)).body.user.delivery_email).to.equal(
        target.deliveryEmail,
      );
    });
  }

  it("always shows a bot's address", async () => {
    const robot = await bot(db, org.member, { settings: { email_address_visibility: 4 } });
    const { body } = await read(org.guest, robot.id);
    expect(body.user.delivery_email).to.equal(robot.deliveryEmail);
  });

  it("answers alike for unknown accounts, those of other organizations and IDs out of range", async () => {
    const other = await organization(db);
    await refusedAlike(db, [2_000_000_000, other.member.id, "99999999999999999999"], (id) =>
      gateway.as(org.owner).get(`/api/v1/users/${id}`),
    );
  });

  it("lists all accounts except system bots, or the requested ones", async () => {
    const gone = await user(db, org.realm, { isActive: false });
    const { members } = await gateway.as(org.guest).succeed(getUsers);
    const ids = members.map((member) => member.user_id);
    expect(ids).to.include.members([org.owner.id, org.bot.id, gone.id]);
    expect(ids).not.to.include(org.notificationBot.id).and.not.to.include(org.welcomeBot.id);
    const some = await gateway.as(org.guest).succeed(getUsers, {
      params: { user_ids: [gone.id, 2_000_000_000, org.owner.id] },
    });
    expect(some.members.map((member) => member.user_id)).to.have.members([gone.id, org.owner.id]);
  });

  it("returns the caller at the top level, with max_message_id and a picture", async () => {
    const own = await gateway.as(org.member).succeed(getOwnUser);
    expect(own).to.include({ user_id: org.member.id, max_message_id: -1 });
    expect(own.profile_data).to.deep.equal({});
    expect(own.avatar_url).to.include("https://secure.gravatar.com/avatar/");
    await db.rows("INSERT INTO user_messages (user_id, message_id) VALUES ($1, 7), ($1, 5)", [
      org.member.id,
    ]);
    expect((await gateway.as(org.member).succeed(getOwnUser)).max_message_id).to.equal(7);
    const robot = await gateway.as(org.bot).succeed(getOwnUser);
    expect(robot).to.include({ is_bot: true }).and.not.to.have.property("profile_data");
  });

  it("reports parameters that GET /users/me does not support", async () => {
    const { body } = await gateway
      .as(org.member)
      .get("/api/v1/users/me", { client_gravatar: true });
    expect(body.ignored_parameters_unsupported).to.deep.equal(["client_gravatar"]);
  });
});
