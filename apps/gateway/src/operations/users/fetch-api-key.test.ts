import { request } from "node:http";
import { devFetchApiKey, fetchApiKey, getOwnUser } from "@carillon/contract";
import {
  bot,
  changeOrganization,
  organization,
  refused,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

const password = "correct horse";

describe("POST /fetch_api_key", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let ann: TestAccount;
  before(async () => {
    org = await organization(db);
    ann = await user(db, org.realm, { email: "Ann@Carillon.test", password });
  });

  const fetchKey = (params: Record<string, unknown>) =>
    gateway.anonymous.call(fetchApiKey, { params });
  const refuses = async (params: Record<string, unknown>, code: string, fields = {}) => {
    const ask = async () => {
      const answer = await fetchKey(params);
      expect(answer.headers.get("www-authenticate")).to.equal(null);
      return answer;
    };
    return refused(db, ask, code, fields);
  };

  it("returns the existing key with the stored address", async () => {
    for (let i = 0; i < 2; i++) {
      const { status, body } = await fetchKey({ username: " ann@carillon.TEST ", password });
      expect(status).to.equal(200);
      expect(body).to.deep.include({
        api_key: ann.apiKey,
        email: "Ann@Carillon.test",
        user_id: ann.id,
      });
    }
    const own = await gateway.as({ email: ann.deliveryEmail, apiKey: ann.apiKey }).call(getOwnUser);
    expect(own.body.user_id).to.equal(ann.id);
  });

  it("requires both parameters", async () => {
    const code = "REQUEST_VARIABLE_MISSING";
    await refuses({ password }, code, { var_name: "username" });
    await refuses({ username: ann.deliveryEmail }, code, { var_name: "password" });
  });

  for (const username of ["", "ann", "ann@", "ann carillon.test"]) {
    it(`refuses ${JSON.stringify(username)}, which is not an address`, () =>
      refuses({ username, password }, "BAD_REQUEST"));
  }

  it("answers alike for a wrong password and an unknown account", async () => {
    const code = "AUTHENTICATION_FAILED";
    const wrong = await refuses({ username: ann.deliveryEmail, password: "wrong" }, code);
    const unknown = await refuses({ username: "nobody@carillon.test", password }, code);
    expect(unknown).to.deep.equal(wrong);
  });

  it("answers a password above the maximum length like a wrong one, and refuses long bodies", async () => {
    const params = (bytes: number) => ({
      username: ann.deliveryEmail,
      password: "a".repeat(bytes),
    });
    const code = "AUTHENTICATION_FAILED";
    const wrong = await refuses({ username: ann.deliveryEmail, password: "wrong" }, code);
    expect(await refuses(params(16_000), code)).to.deep.equal(wrong);
    await refuses(params(17_000), "REQUEST_TOO_LARGE");
  });

  it("finds accounts of this organization only, and no bots", async () => {
    const other = await organization(db);
    const stranger = await user(db, other.realm, { password });
    await refuses({ username: stranger.deliveryEmail, password }, "AUTHENTICATION_FAILED");
    const robot = await bot(db, ann, { password });
    await refuses({ username: robot.deliveryEmail, password }, "AUTHENTICATION_FAILED");
  });

  it("finds the organization by the first label of the host", async () => {
    const other = await organization(db, { subdomain: "elsewhere" });
    const stranger = await user(db, other.realm, { password });
    const body = new URLSearchParams({ username: stranger.deliveryEmail, password }).toString();
    const answer = await post(
      `${gateway.url}/api/v1/fetch_api_key`,
      "elsewhere.carillon.test",
      body,
    );
    expect(answer).to.include({ api_key: stranger.apiKey });
  });

  it("reports a deactivated account only with the right password", async () => {
    const gone = await user(db, org.realm, { password, isActive: false });
    await refuses({ username: gone.deliveryEmail, password }, "USER_DEACTIVATED");
    await refuses({ username: gone.deliveryEmail, password: "wrong" }, "AUTHENTICATION_FAILED");
  });

  it("refuses an account without a password", () =>
    refuses({ username: org.member.deliveryEmail, password }, "PASSWORD_RESET_REQUIRED"));

  it("refuses all accounts if password login is disabled", async () => {
    await changeOrganization(db, org.realm, { passwordAuthEnabled: false });
    await refuses({ username: ann.deliveryEmail, password }, "PASSWORD_AUTH_DISABLED");
    await changeOrganization(db, org.realm, { passwordAuthEnabled: true });
  });

  it("refuses all accounts if the organization is deactivated", async () => {
    await changeOrganization(db, org.realm, { deactivated: true });
    await refuses({ username: ann.deliveryEmail, password }, "REALM_DEACTIVATED");
    await changeOrganization(db, org.realm, { deactivated: false });
  });

  it("logs neither passwords nor keys", () => {
    expect(gateway.logText()).not.to.include(password).and.not.to.include(ann.apiKey);
  });

  it("refuses keys without a password on a server that is not for development", async () => {
    const params = { username: ann.deliveryEmail };
    await refused(db, () => gateway.anonymous.call(devFetchApiKey, { params }), "BAD_REQUEST");
  });
});

describe("POST /dev_fetch_api_key on a server for development", () => {
  const db = useDatabase();
  const gateway = useGateway(db, { site: { development: true } });
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const fetchKey = (username?: string) =>
    gateway.anonymous.call(devFetchApiKey, { params: { username } });

  it("returns the key without a password", async () => {
    const { status, body } = await fetchKey(org.member.deliveryEmail);
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      api_key: org.member.apiKey,
      email: org.member.deliveryEmail,
      user_id: org.member.id,
    });
  });

  it("refuses unknown accounts", async () => {
    const gone = await user(db, org.realm, { isActive: false });
    await refused(db, () => fetchKey(), "REQUEST_VARIABLE_MISSING", { var_name: "username" });
    await refused(db, () => fetchKey("member"), "BAD_REQUEST");
    await refused(db, () => fetchKey("nobody@carillon.test"), "AUTHENTICATION_FAILED");
    await refused(db, () => fetchKey(gone.deliveryEmail), "USER_DEACTIVATED");
    await changeOrganization(db, org.realm, { deactivated: true });
    await refused(db, () => fetchKey(org.member.deliveryEmail), "REALM_DEACTIVATED");
  });
});

/** `fetch` cannot send a Host header that differs from the URL. */
function post(url: string, host: string, body: string): Promise<Record<string, unknown>> {
  const headers = { host, "content-type": "application/x-www-form-urlencoded" };
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(JSON.parse(text) as Record<string, unknown>));
    })
      .on("error", reject)
      .end(body);
  });
}
