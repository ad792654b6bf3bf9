import { getUser } from "@carillon/contract";
import {
  deactivateUser,
  missing,
  organization,
  refused,
  refusedWith,
  useDatabase,
  useGateway,
  user,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("GET /avatar/{user_id}", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const picture = (id: number | string, as = gateway.as(org.guest)) =>
    as.send("GET", `/avatar/${id}`, { redirect: "manual" });
  const received = async (id: number) =>
    (
      await gateway
        .as(org.owner)
        .succeed(getUser, { path: { user_id: id }, params: { client_gravatar: false } })
    ).user.avatar_url;

  it("returns a generated picture if the address is hidden from the caller", async () => {
    const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
    const png = async (query: string) => {
      const { status, headers, text } = await picture(`${hidden.id}${query}`);
      expect(status).to.equal(200);
      expect(headers.get("content-type")).to.equal("image/png");
      expect(headers.get("cache-control")).to.include("private");
      expect(text.slice(1, 4)).to.equal("PNG");
      return text;
    };
    const before = await png("?version=1");
    expect(await png("?version=1&s=500")).not.to.equal(before);
    await db.prisma.user.update({
      where: { id: hidden.id },
      data: { deliveryEmail: "quite-another@carillon.test" },
    });
    expect(await png("?version=1")).to.equal(before);
    await refused(db, () => picture(`${hidden.id}?s=501`));
    expect(
      (
        await picture(
          hidden.id,
          gateway.as({ email: "quite-another@carillon.test", apiKey: hidden.apiKey }),
        )
      ).status,
    ).to.equal(302);
  });

  it("redirects to the picture of avatar_url, for people, bots and deactivated accounts", async () => {
    const gone = await user(db, org.realm);
    await deactivateUser(db, gone);
    for (const { id } of [org.member, org.bot, org.welcomeBot, gone]) {
      const { status, headers } = await picture(id);
      expect(status).to.equal(302);
      expect(headers.get("location"))
        .to.equal(await received(id))
        .and.match(/^https:\/\//);
    }
  });

  it("answers 404 for accounts that are unknown or of another organization", async () => {
    const other = await organization(db);
    for (const id of [other.member.id, 0, 2_000_000_000, "99999999999999999999"]) {
      const answer = await picture(id);
      missing(answer);
      expect(answer.headers.has("location")).to.equal(false);
    }
    await refused(db, () => picture("nobody"), "NOT_FOUND");
  });

  it("reveals nothing to anonymous callers, not even which accounts exist", async () => {
    for (const id of [org.member.id, 0]) {
      const answer = await picture(id, gateway.anonymous);
      refusedWith(answer, "UNAUTHORIZED");
      expect(answer.headers.has("location")).to.equal(false);
    }
  });
});
