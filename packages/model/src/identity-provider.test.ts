import { roles } from "@carillon/contract";
import { readEnvironment, StartupError } from "@carillon/kit";
import { expect } from "chai";

import { identityProviderFrom } from "./identity-provider.ts";

const needed = {
  OIDC_ISSUER: "https://id.example.com/realms/team",
  OIDC_CLIENT_ID: "carillon",
  OIDC_CLIENT_SECRET: "s3cret",
};

describe("The configuration of the identity provider", () => {
  const config = (variables: Record<string, string>) =>
    identityProviderFrom(readEnvironment(variables));

  it("is undefined without variables", () => {
    expect(config({})).to.equal(undefined);
    expect(config({ OIDC_SCOPES: "", OIDC_ROLES: "" })).to.equal(undefined);
  });

  it("has defaults for all but issuer, client and secret", () => {
    expect(config(needed)).to.deep.equal({
      issuer: needed.OIDC_ISSUER,
      clientId: "carillon",
      clientSecret: "s3cret",
      displayName: "OpenID Connect",
      displayIcon: null,
      scopes: "openid email profile",
      autoSignup: "rules",
      groupsClaim: undefined,
      roles: [],
      groups: [],
      subdomain: undefined,
    });
  });

  it("maps values of the claim to roles, the most powerful first, and to groups", () => {
    const provider = config({
      ...needed,
      OIDC_GROUPS_CLAIM: "groups",
      OIDC_ROLES: "guest=externals; administrator=chat-admins;moderator=/chat/mods=all;",
      OIDC_GROUPS: "engineering=eng;The whole team = staff;engineering=ops",
    });
    expect(provider?.roles).to.deep.equal([
      { role: roles.administrator, value: "chat-admins" },
      { role: roles.moderator, value: "/chat/mods=all" },
      { role: roles.guest, value: "externals" },
    ]);
    expect(provider?.groups).to.deep.equal([
      { group: "engineering", value: "eng" },
      { group: "The whole team", value: "staff" },
      { group: "engineering", value: "ops" },
    ]);
  });

  for (const missing of ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const)
    it(`names ${missing} when the others are set without it, and repeats no secret`, () => {
      const { [missing]: _, ...others } = needed;
      expect(() => config(others))
        .to.throw(StartupError, new RegExp(`^${missing} is not set, but `))
        .with.property("message")
        .that.does.not.include("s3cret");
    });

  const refused: [variables: Record<string, string>, error: RegExp][] = [
    [{ OIDC_DISPLAY_NAME: "Team" }, /^OIDC_ISSUER, .* are not set, but OIDC_DISPLAY_NAME is/],
    [{ ...needed, OIDC_ROLES: "guest=x" }, /^OIDC_GROUPS_CLAIM is not set, but OIDC_ROLES is/],
    [{ ...needed, OIDC_GROUPS: "a=x" }, /^OIDC_GROUPS_CLAIM is not set, but OIDC_GROUPS is/],
    [{ ...needed, OIDC_GROUPS_CLAIM: "g", OIDC_ROLES: "owner=x" }, /^OIDC_ROLES maps to "owner"/],
    [{ ...needed, OIDC_GROUPS_CLAIM: "g", OIDC_ROLES: "toString=x" }, /^OIDC_ROLES maps to/],
    [
      { ...needed, OIDC_GROUPS_CLAIM: "g", OIDC_ROLES: "guest" },
      /^OIDC_ROLES has the part "guest"/,
    ],
    [{ ...needed, OIDC_GROUPS_CLAIM: "g", OIDC_GROUPS: "=eng" }, /^OIDC_GROUPS has the part/],
    [{ ...needed, OIDC_GROUPS_CLAIM: "g", OIDC_GROUPS: "eng=" }, /^OIDC_GROUPS has the part/],
  ];
  for (const [variables, error] of refused)
    it(`refuses ${JSON.stringify(variables)}`, () => {
      expect(() => config(variables)).to.throw(StartupError, error);
    });
});
