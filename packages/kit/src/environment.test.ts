import { expect } from "chai";
import { publicUrl, readEnvironment } from "./environment.ts";
import { StartupError } from "./startup-error.ts";

describe("readEnvironment", () => {
  const refused: [name: string, value: string, rule: RegExp][] = [
    ["PORT", "many", /must be a port number from 0 to 65535/],
    ["PORT", "65536", /must be a port number from 0 to 65535/],
    ["DASHBOARD_PORT", "-1", /must be a port number from 0 to 65535/],
    ["METRICS_PORT", "1.5", /must be a port number from 0 to 65535/],
    ["METRICS_PORT", "x", /must be a port number from 0 to 65535/],
    ["PUBLIC_URL", "chat.example.com", /must be a URL beginning with http:\/\/ or https:\/\//],
    ["PUBLIC_URL", "ftp://chat.example.com", /must be a URL beginning with http/],
    [
      "PUBLIC_URL",
      "https://chat.example.com/?a=b",
      /must be an address that paths can be appended/,
    ],
    ["PUBLIC_URL", "https://me:key@chat.example.com", /must be an address that paths can be/],
    ["DATABASE_URL", "mysql://db.example.com", /must be a URL beginning with postgres:\/\//],
    ["DATABASE_URL", "postgres://db1:0,db2/x", /has a port that is not a number from 1 to 65535/],
    ["DATABASE_DIRECT_URL", "db.example.com", /must be a URL beginning with postgres:\/\//],
    ["DATABASE_DIRECT_URL", "postgres://db.example.com/x", /is set, and DATABASE_URL is not/],
    ["REDIS_URL", "http://cache.example.com", /must be a URL beginning with redis:\/\//],
    ["REDIS_URL", "redis+sentinel://s1,s2", /must name the master that the Sentinels know/],
    ["SECRET_KEY", "short", /must have at least 32 characters/],
    ["PUSH_BOUNCER", "on", /must be `embedded` or unset/],
    ["PUSH_BOUNCER_URL", "bouncer", /must be a URL beginning with http/],
    ["PUSH_BOUNCER_URL", "https://id:key@push.example.com", /must be an address that paths can be/],
    ["PUSH_SERVER_ID", "server:1", /must be the UUID by which the push bouncer knows this server/],
    ["PUSH_SERVER_KEY", "two words", /must be the key that the push bouncer gave: ASCII/],
    ["PUSH_TIMEOUT", "0", /must be a number of seconds from 1 to 20/],
    ["PUSH_TIMEOUT", "30", /must be a number of seconds from 1 to 20/],
    ["PUSH_TIMEOUT", "15s", /must be a number of seconds from 1 to 20/],
    ["EVENT_SUBSCRIPTION_DISABLE_DAYS", "0", /must be a whole number of days from 1 to 90/],
    ["EVENT_RETENTION_DAYS", "1.5", /must be a whole number of days from 1 to 90/],
    ["EVENT_RETENTION_EVENTS", "99999", /must be a whole number from 100000 to 100000000/],
    ["OUTGOING_TIMEOUT", "0", /must be a number of seconds from 1 to 60/],
    ["OUTGOING_TIMEOUT", "61", /must be a number of seconds from 1 to 60/],
    ["OUTGOING_TIMEOUT", "10s", /must be a number of seconds from 1 to 60/],
    ["BOT_STORAGE_LIMIT", "0", /must be a number of characters from 1/],
    ["BOT_STORAGE_LIMIT", "10 MB", /must be a number of characters from 1/],
    ["RATE_LIMITS", "none", /must be `off` or rules such as `user=60:200/],
    ["RATE_LIMITS", "user=60", /must be `off` or rules/],
    ["RATE_LIMITS", "user=60:0", /must be `off` or rules/],
    ["RATE_LIMITS", "user=60:5;user=60:6", /each kind once/],
    ["OIDC_ISSUER", "id.example.com", /must be the issuer of the identity provider/],
    ["OIDC_ISSUER", "http://id.example.com", /http:\/\/ only on this machine/],
    ["OIDC_ISSUER", "http://127.0.0.1.example.com", /http:\/\/ only on this machine/],
    ["OIDC_ISSUER", "ftp://127.0.0.1", /must be the issuer/],
    ["OIDC_ISSUER", "https://id.example.com/?a=b", /without credentials/],
    ["OIDC_ISSUER", "https://me:key@id.example.com", /without credentials/],
    [
      "OIDC_ISSUER",
      "https://id.example.com/.well-known/openid-configuration",
      /without .* \/\.well-known\//,
    ],
    ["OIDC_DISPLAY_ICON", "icon.png", /must be a URL beginning with http/],
    ["OIDC_SCOPES", "email profile", /with openid among them/],
    ["OIDC_SCOPES", "openid,email", /separated by single spaces/],
    ["OIDC_SCOPES", "openid  email", /separated by single spaces/],
    ["OIDC_AUTO_SIGNUP", "yes", /must be `rules` or `all`/],
    ["OIDC_SUBDOMAIN", "Team A", /must be the subdomain of an organization/],
    ["SMTP_URL", "mail.example.com", /must be a URL beginning with smtp/],
    ["TERMS_URL", "javascript:alert(1)", /must be a URL beginning with http/],
    ["MAIL_FROM", "Carillon <noreply@example.com>", /must be an e-mail address/],
    ["S3_ENDPOINT", "s3.example.com", /must be a URL beginning with http/],
    ["S3_FORCE_PATH_STYLE", "yes", /must be `true` or `false`/],
    ["DEVELOPMENT", "yes", /must be `true` or `false`/],
    ["DEMO", "true", /must be `on` or `off`/],
    ["LOG_LEVEL", "loud", /must be trace, debug, info, warn, error or silent/],
  ];
  for (const [name, value, rule] of refused) {
    it(`refuses ${name}=${value} with an error that names it and says what would be right`, () => {
      const read = () => readEnvironment({ [name]: value });
      expect(read).to.throw(StartupError, rule);
      expect(read).to.throw(new RegExp(`^${name} `));
    });
  }

  it("accepts issuers by HTTPS anywhere, and by HTTP on this machine", () => {
    for (const issuer of [
      "https://id.example.com/realms/team",
      "https://id.example.com",
      "http://localhost:3000",
      "http://127.0.0.1:3000/",
      "http://[::1]:3000/oidc",
    ])
      expect(readEnvironment({ OIDC_ISSUER: issuer }).OIDC_ISSUER).to.equal(issuer);
    for (const scopes of ["openid", "openid email", "email openid groups"])
      expect(readEnvironment({ OIDC_SCOPES: scopes }).OIDC_SCOPES).to.equal(scopes);
  });

  it("uses defaults for missing and empty variables", () => {
    const env = readEnvironment({ PORT: "", REDIS_URL: "" });
    expect(env).to.include({ PORT: 9991, HOST: "127.0.0.1", DASHBOARD_PORT: 9992 });
    expect(env).to.include({ DATA_DIR: "./var", DEVELOPMENT: false });
    expect(env.REDIS_URL).to.equal(undefined);
  });

  it("determines the address that clients use: PUBLIC_URL, else host and port", () => {
    const address = (variables: Record<string, string>) => publicUrl(readEnvironment(variables));
    expect(address({})).to.equal("http://127.0.0.1:9991");
    expect(address({ HOST: "::1", PORT: "80" })).to.equal("http://[::1]:80");
    expect(address({ PUBLIC_URL: "https://example.com/chat/" })).to.equal(
      "https://example.com/chat",
    );
  });
});
