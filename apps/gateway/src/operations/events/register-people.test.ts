import {
  bot,
  changeOrganization,
  channel,
  deactivateUser,
  type FieldType,
  isOf,
  organization,
  type Snapshot,
  snapshotOf,
  type TestAccount,
  type TestOrganization,
  typeOf,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

interface Listed extends Readonly<Record<string, unknown>> {
  readonly user_id: number;
  readonly delivery_email: string | null;
}

/** The fields that every account is listed with. */
const common: Readonly<Record<string, FieldType>> = {
  user_id: "int",
  email: "string",
  full_name: "string",
  role: "int",
  is_bot: "bool",
  is_owner: "bool",
  is_admin: "bool",
  is_guest: "bool",
  is_imported_stub: "bool",
  timezone: "string",
  date_joined: "string",
  avatar_version: "int",
  avatar_url: "string",
};

const own: Readonly<Record<string, FieldType>> = {
  user_id: "int",
  email: "string",
  delivery_email: "string",
  full_name: "string",
  is_owner: "bool",
  is_admin: "bool",
  is_moderator: "bool",
  is_guest: "bool",
  avatar_source: "string",
  avatar_url: "string",
  avatar_url_medium: "string",
  can_create_public_streams: "bool",
  can_create_private_streams: "bool",
  can_create_web_public_streams: "bool",
  can_create_streams: "bool",
  can_invite_others_to_realm: "bool",
};

function expectTypes(given: Readonly<Record<string, unknown>>, types: typeof common): void {
  const wrong = Object.entries(types).filter(([name, type]) => !isOf(type, given[name]));
  expect(wrong.map(([name]) => `${name}: ${typeOf(given[name])}`)).to.deep.equal([]);
}

const lists = ["realm_users", "realm_non_active_users", "cross_realm_bots"] as const;

function listed(snapshot: Snapshot, name: (typeof lists)[number]): Listed[] {
  return snapshot[name] as Listed[];
}

function idsOf(snapshot: Snapshot, name: (typeof lists)[number]): number[] {
  return listed(snapshot, name).map(({ user_id }) => user_id);
}

describe("POST /register: the accounts", () => {
  const scene = useScene();
  const people = (account: TestAccount, params = {}) =>
    snapshotOf(scene.as(account), ["realm_user"], { client_gravatar: false, ...params });

  it("are listed by active state, with system bots apart", async () => {
    const { db, org } = scene;
    const gone = await user(db, org.realm, { isActive: false });
    const goneBot = await bot(db, org.member, { isActive: false });
    const snapshot = await people(org.member);
    expect(idsOf(snapshot, "realm_users")).to.deep.equal(
      [org.owner, org.admin, org.moderator, org.member, org.guest, org.bot].map(({ id }) => id),
    );
    expect(idsOf(snapshot, "realm_non_active_users")).to.deep.equal([gone.id, goneBot.id]);
    expect(idsOf(snapshot, "cross_realm_bots")).to.have.members([
      org.notificationBot.id,
      org.welcomeBot.id,
      org.schedulingBot.id,
    ]);
    expect(listed(snapshot, "cross_realm_bots").map((each) => each["is_system_bot"])).to.deep.equal(
      [true, true, true],
    );
  });

  it("have the fields that clients need, without is_active, which the list implies", async () => {
    const snapshot = await people(scene.org.member);
    for (const list of lists) {
      for (const account of listed(snapshot, list)) {
        expectTypes(account, common);
        const kind = account["is_bot"]
          ? ["bot_type", "bot_owner_id", ...(account["is_system_bot"] ? ["is_system_bot"] : [])]
          : ["profile_data"];
        expect(account).to.have.all.keys(...Object.keys(common), "delivery_email", ...kind);
      }
    }
  });

  it("show addresses to accounts that may see them", async () => {
    const { db } = scene;
    const org = await organization(db);
    const shy = await user(db, org.realm, { settings: { email_address_visibility: 2 } });
    const seenBy = async (account: TestAccount) => {
      const users = listed(await people(account), "realm_users");
      return users.find(({ user_id }) => user_id === shy.id)?.delivery_email;
    };
    expect(await seenBy(org.member)).to.equal(shy.deliveryEmail);
    expect(await seenBy(org.guest)).to.equal(null);
    expect(await seenBy(shy)).to.equal(shy.deliveryEmail);
    expect(await people(shy)).to.include({ email: shy.email, delivery_email: shy.deliveryEmail });
  });

  it("omit avatars that the client can compute, except for its own", async () => {
    const { org } = scene;
    const snapshot = await people(org.member, { client_gravatar: true });
    expect(listed(snapshot, "realm_users").map((each) => each["avatar_url"])).to.deep.equal(
      Array(6).fill(null),
    );
    expect(snapshot["avatar_url"]).to.be.a("string");
    expect(snapshot["avatar_url_medium"]).to.match(/&s=500$/);
  });

  it("belong to the organization alone", async () => {
    const there = await organization(scene.db);
    const snapshot = await people(there.owner);
    const ids = lists.flatMap((name) => idsOf(snapshot, name));
    const all = await scene.db.prisma.user.findMany({ where: { realmId: there.realm.id } });
    expect(ids).to.have.members(all.map(({ id }) => id));
  });

  describe("the caller's own account", () => {
    const flags = ["is_owner", "is_admin", "is_moderator", "is_guest"];
    const trueOf = (snapshot: Snapshot, names: readonly string[]) =>
      names.filter((name) => snapshot[name] === true);

    it("has its fields with their types", async () => {
      for (const account of [scene.org.owner, scene.org.guest, scene.org.bot]) {
        const snapshot = await people(account);
        expectTypes(snapshot, own);
        expect(snapshot).to.include({
          user_id: account.id,
          email: account.email,
          full_name: account.fullName,
          avatar_source: "G",
        });
      }
    });

    it("contains the role", async () => {
      const { org } = scene;
      const roleOf = async (account: TestAccount) => trueOf(await people(account), flags);
      expect(await roleOf(org.owner)).to.deep.equal(["is_owner", "is_admin"]);
      expect(await roleOf(org.admin)).to.deep.equal(["is_admin"]);
      expect(await roleOf(org.moderator)).to.deep.equal(["is_moderator"]);
      expect(await roleOf(org.member)).to.deep.equal([]);
      expect(await roleOf(org.guest)).to.deep.equal(["is_guest"]);
    });

    it("contains the permissions", async () => {
      const { db } = scene;
      const rights = [
        "can_create_public_streams",
        "can_create_private_streams",
        "can_create_web_public_streams",
        "can_create_streams",
        "can_invite_others_to_realm",
      ];
      const org = await organization(db);
      const rightsOf = async (account: TestAccount) => trueOf(await people(account), rights);
      const withoutWeb = rights.filter((name) => name !== "can_create_web_public_streams");
      expect(await rightsOf(org.owner)).to.deep.equal(withoutWeb);
      expect(await rightsOf(org.member)).to.deep.equal(withoutWeb);
      expect(await rightsOf(org.guest)).to.deep.equal([]);
      await changeOrganization(db, org.realm, {
        enableSpectatorAccess: true,
        canCreatePublicChannelGroupId: org.groups["role:moderators"],
        canInviteUsersGroupId: org.groups["role:administrators"],
      });
      expect(await rightsOf(org.owner)).to.deep.equal(rights);
      expect(await rightsOf(org.member)).to.deep.equal([
        "can_create_private_streams",
        "can_create_streams",
      ]);
    });
  });
});

describe("POST /register: administered bots", () => {
  const scene = useScene();
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(scene.db);
  });

  const botsOf = async (account: TestAccount) => {
    const snapshot = await snapshotOf(scene.as(account), ["realm_bot"]);
    return snapshot["realm_bots"] as Array<{ user_id: number }>;
  };
  const idsFor = async (account: TestAccount) =>
    (await botsOf(account)).map(({ user_id }) => user_id);

  it("are the caller's own, and all bots for administrators, including deactivated ones", async () => {
    const others = await bot(scene.db, org.owner);
    await deactivateUser(scene.db, org.bot);
    expect(await idsFor(org.member)).to.deep.equal([org.bot.id]);
    expect(await idsFor(org.moderator)).to.deep.equal([]);
    expect(await idsFor(org.guest)).to.deep.equal([]);
    expect(await idsFor(org.admin)).to.deep.equal([org.bot.id, others.id]);
  });

  it("exclude a bot that may create users for all but owners", async () => {
    const mighty = await bot(scene.db, org.admin, { canCreateUsers: true });
    expect(await idsFor(org.admin)).to.deep.equal([org.bot.id]);
    expect(await idsFor(org.owner)).to.deep.equal([org.bot.id, mighty.id]);
  });

  it("contain the fields that the list of accounts lacks, without API keys", async () => {
    const room = await channel(scene.db, org.member);
    await scene.db.prisma.user.update({
      where: { id: org.bot.id },
      data: { defaultSendingChannelId: room.id },
    });
    expect(await botsOf(org.member)).to.deep.equal([
      {
        user_id: org.bot.id,
        services: [],
        default_sending_stream: room.name,
        default_events_register_stream: null,
        default_all_public_streams: false,
      },
    ]);
  });

  it("belong to the organization alone", async () => {
    const there = await organization(scene.db);
    expect(await idsFor(there.owner)).to.deep.equal([there.bot.id]);
  });
});
