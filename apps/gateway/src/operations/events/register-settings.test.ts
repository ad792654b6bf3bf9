import { expect } from "chai";
import { notificationSounds, personalSettings } from "@carillon/contract";
import {
  changeOrganization,
  changeSettings,
  channel,
  fieldsOf,
  organization,
  snapshotOf,
  type TestAccount,
  type TestOrganization,
  user,
  useScene,
} from "@carillon/testkit";

const choices = ["emojiset_choices", "available_notification_sounds"];
const [everySetting, ofRealm] = [
  Object.keys(personalSettings),
  Object.entries(personalSettings)
    .filter(([, { realmDefault }]) => realmDefault)
    .map(([name]) => name),
];

describe("POST /register: settings and small lists", () => {
  const scene = useScene();
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(scene.db);
  });

  const section = async (account: TestAccount, name: string, field = name) => {
    const snapshot = await snapshotOf(scene.as(account), [name]);
    return snapshot[field] as Record<string, unknown>;
  };

  it("contains every setting of the caller, changed ones included", async () => {
    const shy = await user(scene.db, org.realm, {
      timezone: "Europe/Berlin",
      settings: { email_address_visibility: 4 },
    });
    await changeSettings(scene.db, shy, {
      twenty_four_hour_time: true,
      translate_emoticons: true,
      default_language: "de",
    });
    const settings = await section(shy, "user_settings");
    expect(settings).to.have.all.keys(...everySetting, "default_language", "timezone", ...choices);
    expect(settings).to.include({
      twenty_four_hour_time: true,
      translate_emoticons: true,
      email_address_visibility: 4,
      default_language: "de",
      timezone: "Europe/Berlin",
      color_scheme: 1,
    });
    expect(settings["available_notification_sounds"]).to.deep.equal(notificationSounds);
    const sets = settings["emojiset_choices"] as Array<Record<string, unknown>>;
    expect(sets.map(({ key }) => key)).to.deep.equal(["google", "twitter", "text"]);
    for (const each of sets) expect(each["text"]).to.be.a("string");
  });

  it("contains the settings that clients require to start, with their types", async () => {
    for (const account of [org.member, org.guest, org.bot]) {
      const settings = await section(account, "user_settings");
      for (const name of [
        "twenty_four_hour_time",
        "starred_message_counts",
        "display_emoji_reaction_users",
        "presence_enabled",
        "send_private_typing_notifications",
        "pm_content_in_desktop_notifications",
      ])
        expect(settings[name], name).to.be.a("boolean");
      expect(settings["emojiset"]).to.equal("google");
    }
  });

  it("contains the initial settings for a bot", async () => {
    const { realm } = org;
    await changeOrganization(scene.db, realm, { defaultLanguage: "fr" });
    const settings = await section(org.bot, "user_settings");
    expect(settings).to.include({ default_language: "fr", timezone: "", web_font_size_px: 16 });
  });

  it("contains the organization's defaults, changed ones included", async () => {
    await scene.db.prisma.realmUserDefaults.upsert({
      where: { realmId: org.realm.id },
      create: { realmId: org.realm.id, settings: { color_scheme: 2 } },
      update: { settings: { color_scheme: 2 } },
    });
    const defaults = await section(org.guest, "realm_user_settings_defaults");
    expect(defaults).to.have.all.keys(...ofRealm, ...choices);
    expect(defaults).to.include({ color_scheme: 2, web_font_size_px: 16 });
    const theirs = await section(scene.org.member, "realm_user_settings_defaults");
    expect(theirs).to.include({ color_scheme: 1 });
  });

  it("contains the default channels by ID, and none for guests", async () => {
    const first = await channel(scene.db, org.realm, { isDefault: true });
    const second = await channel(scene.db, org.realm, { isDefault: true });
    await channel(scene.db, org.realm);
    const ids = [first.id, second.id];
    const of = (account: TestAccount) =>
      section(account, "default_streams", "realm_default_streams");
    expect(await of(org.member)).to.deep.equal(ids);
    expect(await of(org.guest)).to.deep.equal([]);
    expect(await of(scene.org.member)).to.deep.equal([]);
  });

  it("contains the channel folders in order, including archived ones", async () => {
    const folder = (name: string, order: number, more = {}) =>
      scene.db.prisma.channelFolder.create({
        data: { realmId: org.realm.id, name, order, dateCreated: null, ...more },
      });
    const late = await folder("late", 2, { isArchived: true });
    const early = await folder("early", 1, {
      description: "*all*",
      renderedDescription: "<p><em>all</em></p>",
      creatorId: org.owner.id,
      dateCreated: new Date(1_700_000_000_900),
    });
    expect(await section(org.guest, "channel_folders")).to.deep.equal([
      {
        id: early.id,
        name: "early",
        description: "*all*",
        rendered_description: "<p><em>all</em></p>",
        order: 1,
        creator_id: org.owner.id,
        date_created: 1_700_000_000,
        is_archived: false,
      },
      {
        id: late.id,
        name: "late",
        description: "",
        rendered_description: "",
        order: 2,
        creator_id: null,
        date_created: null,
        is_archived: true,
      },
    ]);
    expect(await section(scene.org.member, "channel_folders")).to.deep.equal([]);
  });

  it("contains the types of profile fields when there are no fields", async () => {
    const snapshot = await snapshotOf(scene.as(org.member), ["custom_profile_fields"]);
    expect(snapshot["custom_profile_fields"]).to.deep.equal([]);
    const types = snapshot["custom_profile_field_types"] as Record<string, { id: number }>;
    expect(Object.values(types).map(({ id }) => id)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(types["SHORT_TEXT"]).to.deep.equal({ id: 1, name: "Short text" });
  });

  it("lists the integrations of incoming webhooks, with their events and parameters", async () => {
    const listed = (await section(
      org.guest,
      "realm_incoming_webhook_bots",
    )) as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>;
    const names = listed.map(({ name }) => String(name));
    expect(names).to.include.members(["alertmanager", "github", "json", "slack_incoming"]);
    expect(names).to.deep.equal([...names].sort());
    const branches = {
      key: "branches",
      label: "Branches whose pushes are shown, separated by commas; empty for all",
      validator: "check_string",
    };
    const [github, text] = ["github", "text"].map((name) =>
      listed.find((one) => one["name"] === name),
    );
    expect(github).to.deep.include({
      display_name: "GitHub",
      config_options: [],
      url_options: [branches],
    });
    expect(github?.["all_event_types"]).to.include.members(["push", "pull_request"]);
    expect(text).to.deep.equal({
      name: "text",
      display_name: "Text",
      all_event_types: null,
      config_options: [],
      url_options: [],
    });
  });

  it("contains every field, with empty values for a new organization", async () => {
    const empty: Readonly<Record<string, readonly [field: string, value: unknown]>> = {
      default_stream_groups: ["realm_default_stream_groups", []],
      realm_emoji: ["realm_emoji", {}],
      drafts: ["drafts", []],
      saved_snippets: ["saved_snippets", []],
      reminders: ["reminders", []],
      navigation_views: ["navigation_views", []],
      device: ["devices", {}],
      push_device: ["push_devices", {}],
      realm_domains: ["realm_domains", []],
      realm_linkifiers: ["realm_linkifiers", []],
      realm_filters: ["realm_filters", []],
      realm_playgrounds: ["realm_playgrounds", []],
      realm_embedded_bots: ["realm_embedded_bots", []],
      stop_words: ["stop_words", []],
      onboarding_steps: ["onboarding_steps", []],
      video_calls: ["has_zoom_token", false],
      giphy: ["giphy_api_key", ""],
    };
    const all = await snapshotOf(scene.as(org.guest));
    for (const [name, [field, value]] of Object.entries(empty)) {
      const one = await snapshotOf(scene.as(org.guest), [name]);
      expect(fieldsOf(one), name).to.deep.equal([field]);
      expect(one[field], name).to.deep.equal(value);
      expect(all[field], name).to.deep.equal(value);
    }
  });
});
