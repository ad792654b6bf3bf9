import { listRealmEmoji } from "@carillon/contract";
import { organization, refused, useDatabase, useGateway } from "@carillon/testkit";
import { expect } from "chai";

describe("GET /realm/emoji", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  it("returns no custom emoji to people, guests and bots", async () => {
    const { member, guest, bot } = await organization(db);
    for (const account of [member, guest, bot])
      expect(await gateway.as(account).succeed(listRealmEmoji)).to.deep.equal({
        result: "success",
        msg: "",
        emoji: {},
      });
  });

  it("requires credentials", async () => {
    await refused(db, () => gateway.anonymous.call(listRealmEmoji), "UNAUTHORIZED");
  });
});
