import { getChannelEmailAddress } from "@carillon/contract";
import { channel, organization, refused, type TestAccount, useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("GET /streams/{stream_id}/email_address", () => {
  const scene = useScene();

  const refusal = async ({ id }: { id: number }, by: TestAccount) => {
    const ask = () => scene.as(by).call(getChannelEmailAddress, { path: { stream_id: id } });
    return (await refused(scene.db, ask, "BAD_REQUEST", {})).msg;
  };

  it("reports to readers of the channel that there is no mail gateway", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.guest] });
    for (const by of [org.guest, org.member, org.bot, org.owner])
      expect(await refusal(room, by)).to.contain("mail gateway");
  });

  it("hides the existence of the channel from other accounts", async () => {
    const { db, org } = scene;
    const other = await organization(db);
    const secret = await channel(db, org.realm, { inviteOnly: true });
    const answers = [
      await refusal({ id: 2_000_000_000 }, org.owner),
      await refusal(await channel(db, other.realm), org.owner),
      // Roles grant no access to the messages of private channels.
      await refusal(secret, org.owner),
      await refusal(await channel(db, org.realm), org.guest),
      await refusal(await channel(db, org.realm, { isArchived: true }), org.owner),
    ];
    expect(new Set(answers)).to.have.length(1);
    expect(answers[0]).not.to.contain("mail");
  });
});
