import { getOwnUser } from "@carillon/contract";
import { randomKey } from "@carillon/kit";
import {
  bot,
  changeOrganization,
  deactivateUser,
  organization,
  refusedWith,
  startGateway,
  useDatabase,
  useGateway,
  user,
  type ApiCredentials,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Credentials", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const credentials = (account: { deliveryEmail: string; apiKey: string }): ApiCredentials => ({
    email: account.deliveryEmail,
    apiKey: account.apiKey,
  });
  const status = async (auth: ApiCredentials, at = gateway) => {
    const answer = await at.as(auth).call(getOwnUser);
    if (answer.status === 200) return 200;
    refusedWith(answer, "UNAUTHORIZED");
    expect(answer.headers.get("www-authenticate")).to.equal('Basic realm="zulip"');
    return answer.status;
  };

  it("consist of the delivery address in any case and the key, for people and bots", async () => {
    const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
    expect(await status(credentials(hidden))).to.equal(200);
    const shouted = { email: hidden.deliveryEmail.toUpperCase(), apiKey: hidden.apiKey };
    expect(await status(shouted)).to.equal(200);
    expect(await status({ email: hidden.email, apiKey: hidden.apiKey })).to.equal(401);
    expect(await status(credentials(org.bot))).to.equal(200);
  });

  it("are checked for each of many concurrent requests", async () => {
    const members = await Promise.all(Array.from({ length: 10 }, () => user(db, org.realm)));
    const { apiKey } = org.admin;
    const asked = members.flatMap(({ deliveryEmail: email, apiKey: own }) => [
      { email, apiKey: own },
      { email, apiKey },
      { email, apiKey: randomKey() },
      { email, apiKey: own },
    ]);
    const came = await Promise.all(asked.map((auth) => gateway.as(auth).call(getOwnUser)));
    expect(came.map(({ status: code }) => code)).to.deep.equal(
      members.flatMap(() => [200, 401, 401, 200]),
    );
    const emails = came.flatMap(({ status: code, body }) =>
      code === 200 ? [(body as { delivery_email: string }).delivery_email] : [],
    );
    expect(emails).to.deep.equal(
      members.flatMap(({ deliveryEmail }) => [deliveryEmail, deliveryEmail]),
    );
  });

  it("are refused with the same error, whatever is wrong", async () => {
    const { deliveryEmail: email, apiKey } = org.member;
    const wrong: ApiCredentials[] = [
      { email, apiKey: randomKey() },
      { email, apiKey: apiKey.slice(1) },
      { email, apiKey: `${apiKey.slice(1)}'` },
      { email, apiKey: "" },
      { email: "", apiKey },
      { email: org.admin.deliveryEmail, apiKey },
      { email: "nobody@carillon.test", apiKey },
    ];
    const bodies = [];
    for (const auth of wrong) bodies.push((await gateway.as(auth).call(getOwnUser)).body);
    for (const body of bodies) expect(body).to.deep.equal(bodies[0]);
  });

  it("fail from the next request after a deactivation, in every process", async () => {
    const second = await startGateway(db);
    try {
      const account = await user(db, org.realm);
      expect(await status(credentials(account))).to.equal(200);
      expect(await status(credentials(account), second)).to.equal(200);
      await deactivateUser(db, account);
      expect(await status(credentials(account))).to.equal(401);
      expect(await status(credentials(account), second)).to.equal(401);
    } finally {
      await second.close();
    }
  });

  it("fail from the next request after the key has changed", async () => {
    const account = await user(db, org.realm);
    const { secrets } = gateway.services.site;
    const apiKey = randomKey();
    await db.rows("UPDATE users SET api_key_sealed = $2, api_key_digest = $3 WHERE id = $1", [
      account.id,
      secrets.seal(apiKey),
      secrets.digest(apiKey),
    ]);
    expect(await status(credentials(account))).to.equal(401);
    expect(await status({ email: account.deliveryEmail, apiKey })).to.equal(200);
  });

  it("fail while the organization is deactivated", async () => {
    const other = await organization(db);
    await changeOrganization(db, other.realm, { deactivated: true });
    expect(await status(credentials(other.owner))).to.equal(401);
    await changeOrganization(db, other.realm, { deactivated: false });
    expect(await status(credentials(other.owner))).to.equal(200);
  });

  it("of an incoming-webhook bot allow its own operations only", async () => {
    const hook = await bot(db, org.member, { botType: 2 });
    expect(await status(credentials(hook))).to.equal(401);
  });
});
