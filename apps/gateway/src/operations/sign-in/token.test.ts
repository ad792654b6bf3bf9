import { createHmac, generateKeyPairSync, sign } from "node:crypto";

import { getOwnUser, jwtFetchApiKey } from "@carillon/contract";
import { readEnvironment, silentLogger, StartupError } from "@carillon/kit";
import {
  bot,
  captureLog,
  changeOrganization,
  type Gateway,
  organization,
  refused,
  startGateway,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

import { tokenVerifierFrom } from "../../sign-in/token-verifier.ts";

const secret = "a secret that the programs of the tests share";
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = publicKey.export({ type: "spki", format: "pem" });

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const inMinutes = (minutes: number) => Math.floor(Date.now() / 1000) + 60 * minutes;

/** Signs a token by HS256. */
function tokenOf(claims: object, key = secret, header: object = { alg: "HS256", typ: "JWT" }) {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

describe("POST /jwt/fetch_api_key", () => {
  const db = useDatabase();
  let org: TestOrganization;
  let ann: TestAccount;
  let gateway: Gateway;
  const verifier = (variables: Record<string, string>) =>
    tokenVerifierFrom(readEnvironment(variables), silentLogger);
  before(async () => {
    org = await organization(db);
    ann = await user(db, org.realm, { email: "Ann@Carillon.test" });
    gateway = await startGateway(db, { tokens: verifier({ JWT_AUTH_KEY: secret }) });
  });
  after(() => gateway.close());

  const fetchKey = (token: string | undefined, more = {}, at = gateway) =>
    at.anonymous.call(jwtFetchApiKey, { params: { token, ...more } });
  const claims = (more = {}) => ({ email: ann.deliveryEmail, exp: inMinutes(5), ...more });

  it("returns the key for a signed token, and the account if asked for", async () => {
    const { status, body } = await fetchKey(tokenOf(claims({ email: " ann@carillon.TEST" })));
    expect(status, body.msg).to.equal(200);
    const { result, msg, ...fields } = body;
    expect([result, msg]).to.deep.equal(["success", ""]);
    expect(fields).to.deep.equal({ api_key: ann.apiKey, email: "Ann@Carillon.test" });
    const own = await gateway.as(ann).succeed(getOwnUser);
    const { result: _result, msg: _msg, ...profile } = own;
    const { body: whole } = await fetchKey(tokenOf(claims()), { include_profile: true });
    expect(whole.user).to.deep.equal(profile);
  });

  it("requires the token", () =>
    refused(db, () => fetchKey(undefined), "REQUEST_VARIABLE_MISSING", { var_name: "token" }));

  const refusals: Array<[what: string, token: () => string]> = [
    ["a token of another key", () => tokenOf(claims(), "another key, which nobody has given here")],
    ["a token without a signature", () => tokenOf(claims()).replace(/[^.]*$/, "")],
    ["the algorithm none", () => `${part({ alg: "none" })}.${part(claims())}.`],
    ["none with a signature", () => tokenOf(claims(), secret, { alg: "none" })],
    ["None in another case", () => tokenOf(claims(), secret, { alg: "NONE" })],
    ["an algorithm that is not listed", () => tokenOf(claims(), secret, { alg: "HS512" })],
    [
      "an extension that must be understood",
      () => tokenOf(claims(), secret, { alg: "HS256", crit: ["x"], x: 1 }),
    ],
    [
      "other claims under the signature",
      () => tokenOf(claims()).replace(/\.[^.]+\./, `.${part(claims({ a: 1 }))}.`),
    ],
    ["an expired token", () => tokenOf(claims({ exp: inMinutes(-1) }))],
    ["a token without exp", () => tokenOf(claims({ exp: undefined }))],
    ["an exp that is a text", () => tokenOf(claims({ exp: "tomorrow" }))],
    ["a token that is valid later", () => tokenOf(claims({ nbf: inMinutes(5) }))],
    ["a token without email", () => tokenOf(claims({ email: undefined }))],
    ["an email that is no text", () => tokenOf(claims({ email: [ann.deliveryEmail] }))],
    ["an email that is no address", () => tokenOf(claims({ email: "ann" }))],
    ["claims that are a list", () => tokenOf([claims()])],
    ["a text that is no token", () => "token"],
    ["an empty text", () => ""],
    ["many parts", () => ".".repeat(2_000)],
  ];
  for (const [what, token] of refusals)
    it(`refuses ${what}`, () => refused(db, () => fetchKey(token()), "BAD_REQUEST"));

  it("refuses unknown accounts, bots, deactivated accounts and those of a deactivated organization", async () => {
    const refusesAddress = (email: string, code: string) =>
      refused(db, () => fetchKey(tokenOf(claims({ email }))), code, {}, 401);
    const other = await organization(db);
    await refusesAddress("nobody@carillon.test", "AUTHENTICATION_FAILED");
    await refusesAddress(other.member.deliveryEmail, "AUTHENTICATION_FAILED");
    await refusesAddress((await bot(db, ann)).deliveryEmail, "AUTHENTICATION_FAILED");
    const gone = await user(db, org.realm, { isActive: false });
    await refusesAddress(gone.deliveryEmail, "USER_DEACTIVATED");
    await changeOrganization(db, org.realm, { deactivated: true });
    await refusesAddress(ann.deliveryEmail, "REALM_DEACTIVATED");
    await changeOrganization(db, org.realm, { deactivated: false });
  });

  it("refuses all tokens where JWT_AUTH_KEY is not set", async () => {
    const without = await startGateway(db);
    try {
      await refused(db, () => fetchKey(tokenOf(claims()), {}, without), "BAD_REQUEST");
    } finally {
      await without.close();
    }
  });

  it("takes tokens signed by a private key, and none that are signed with the public key as a secret", async () => {
    const tokens = verifier({ JWT_AUTH_KEY: String(pem), JWT_AUTH_ALGORITHMS: "ES256" });
    const own = await startGateway(db, { tokens });
    try {
      const text = `${part({ alg: "ES256" })}.${part(claims())}`;
      const signature = sign("sha256", Buffer.from(text), {
        key: privateKey,
        dsaEncoding: "ieee-p1363",
      });
      const token = `${text}.${signature.toString("base64url")}`;
      expect((await fetchKey(token, {}, own)).body.api_key).to.equal(ann.apiKey);
      await refused(db, () => fetchKey(tokenOf(claims(), String(pem)), {}, own), "BAD_REQUEST");
    } finally {
      await own.close();
    }
  });

  it("writes neither tokens nor keys to the log", () => {
    expect(gateway.logText()).not.to.include("eyJ").and.not.include(ann.apiKey);
  });
});

describe("The configuration of signed tokens", () => {
  const from = (variables: Record<string, string>, log = silentLogger) =>
    tokenVerifierFrom(readEnvironment(variables), log);

  it("is undefined without a key", () => expect(from({})).to.equal(undefined));

  for (const [variables, error] of [
    [{ JWT_AUTH_ALGORITHMS: "HS256" }, /^JWT_AUTH_KEY is not set, but JWT_AUTH_ALGORITHMS is/],
    [{ JWT_AUTH_KEY: secret, JWT_AUTH_ALGORITHMS: "none" }, /^JWT_AUTH_ALGORITHMS must be/],
    [{ JWT_AUTH_KEY: secret, JWT_AUTH_ALGORITHMS: "HS256,none" }, /^JWT_AUTH_ALGORITHMS must be/],
    [{ JWT_AUTH_KEY: secret, JWT_AUTH_ALGORITHMS: "HS256,RS256" }, /for one kind of key/],
    [{ JWT_AUTH_KEY: secret, JWT_AUTH_ALGORITHMS: "," }, /^JWT_AUTH_ALGORITHMS must be/],
    [
      { JWT_AUTH_KEY: secret, JWT_AUTH_ALGORITHMS: "RS256" },
      /^JWT_AUTH_KEY must be a public key of type rsa/,
    ],
    [
      { JWT_AUTH_KEY: String(pem), JWT_AUTH_ALGORITHMS: "RS256" },
      /^JWT_AUTH_KEY must be a public key of type rsa/,
    ],
  ] as Array<[Record<string, string>, RegExp]>)
    it(`refuses ${JSON.stringify(variables).slice(0, 70)}, and repeats no key`, () => {
      expect(() => from(variables))
        .to.throw(StartupError, error)
        .with.property("message")
        .that.does.not.include(secret);
    });

  for (const [JWT_AUTH_ALGORITHMS, bytes] of [
    ["HS256", 32],
    ["HS384", 48],
    ["HS512", 64],
    ["HS256,HS512", 64],
  ] as const)
    it(`warns of a secret with less than ${bytes} bytes for ${JWT_AUTH_ALGORITHMS}`, () => {
      const { log, lines } = captureLog();
      const JWT_AUTH_KEY = "k".repeat(bytes);
      from({ JWT_AUTH_KEY, JWT_AUTH_ALGORITHMS }, log);
      expect(lines).to.deep.equal([]);
      const short = { JWT_AUTH_KEY: JWT_AUTH_KEY.slice(1), JWT_AUTH_ALGORITHMS };
      expect(from(short, log)).not.to.equal(undefined);
      expect(lines.map(({ msg }) => msg).join()).to.match(
        new RegExp(`^JWT_AUTH_KEY is short: HS\\d+ needs ${bytes} random bytes`),
      );
    });
});
