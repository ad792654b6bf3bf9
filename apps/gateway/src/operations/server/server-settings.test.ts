import { getServerSettings } from "@carillon/contract";
import {
  changeOrganization,
  organization,
  refused,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

describe("GET /server_settings", () => {
  const db = useDatabase();
  const gateway = useGateway(db, {
    site: { url: "https://chat.carillon.test", pushConfigured: true },
  });

  it("answers 503 while there is no organization", async () => {
    await refused(db, () => gateway.anonymous.call(getServerSettings), "INTERNAL_ERROR", {}, 503);
  });

  it("returns what clients need before login, without credentials", async () => {
    const { realm } = await organization(db, { subdomain: "", name: "Bells" });
    await organization(db);
    await changeOrganization(db, realm, { description: "We *ring*." });
    const { result, msg, realm_icon, ...answer } =
      await gateway.anonymous.succeed(getServerSettings);
    expect([result, msg]).to.deep.equal(["success", ""]);
    expect(realm_icon).to.match(/^https:\/\//);
    expect(answer).to.deep.equal({
      zulip_version: "12.0",
      zulip_merge_base: "12.0",
      zulip_feature_level: 496,
      push_notifications_enabled: true,
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: true,
      realm_url: "https://chat.carillon.test",
      realm_uri: "https://chat.carillon.test",
      realm_name: "Bells",
      realm_description: "<p>We <em>ring</em>.</p>",
      realm_web_public_access_enabled: false,
      authentication_methods: {
        password: true,
        email: true,
        dev: false,
        ldap: false,
        remoteuser: false,
      },
      external_authentication_methods: [],
    });
  });

  it("reports that password login is disabled", async () => {
    const [row] = await db.rows<{ id: number }>("SELECT min(id) AS id FROM realms");
    await changeOrganization(db, { id: row?.id ?? 0 }, { passwordAuthEnabled: false });
    const answer = await gateway.anonymous.succeed(getServerSettings);
    expect(answer.email_auth_enabled).to.equal(false);
    expect(answer.authentication_methods).to.include({ password: false, email: false });
  });
});
