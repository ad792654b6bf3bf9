import { archiveChannel } from "@carillon/contract";
import {
  channel,
  organization,
  refused,
  type TestAccount,
  useGateway,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("DELETE /streams/{stream_id} refuses", () => {
  const scene = useScene();
  const second = useGateway(scene.db);

  const at = (id: number) => ({ path: { stream_id: id } });
  const archive = (room: { id: number }, by: TestAccount = scene.org.owner) =>
    scene.as(by).call(archiveChannel, at(room.id));
  const refuses = (room: { id: number }, by: TestAccount, code?: string) =>
    refused(scene.db, () => archive(room, by), code, {});

  it("callers who can read the channel but not administer it", async () => {
    const { db, org } = scene;
    const holders = await userGroup(db, org.realm, { members: [org.guest] });
    const room = await channel(db, org.realm, {
      subscribers: [org.guest],
      groups: { canAdministerChannelGroupId: holders.id },
    });
    // A guest never holds a permission that allows no guests, even if the guest is named in it.
    for (const by of [org.moderator, org.member, org.bot, org.guest])
      await refuses(room, by, "CANNOT_ADMINISTER_CHANNEL");
    const secret = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.member] });
    await refuses(secret, org.member, "CANNOT_ADMINISTER_CHANNEL");
  });

  it("unreadable, foreign and unknown channels with the same error", async () => {
    const { db, org } = scene;
    const other = await organization(db);
    const foreign = await channel(db, other.realm);
    const secret = await channel(db, org.realm, { inviteOnly: true });
    const open = await channel(db, org.realm);
    const bodies = [
      await refuses(secret, org.moderator),
      await refuses(open, org.guest),
      await refuses(foreign, org.owner),
      await refuses({ id: 0 }, org.owner),
      await refuses({ id: 2_000_000_000 }, org.owner),
      await refuses({ id: 10 ** 15 }, org.owner),
    ];
    for (const body of bodies) expect(body).to.deep.equal(bodies[0]);
  });

  it("an archived channel, whoever the caller is", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, { isArchived: true });
    await refuses(room, org.owner);
    await refuses(room, org.member);
    await refuses(room, org.moderator, "CANNOT_ADMINISTER_CHANNEL");
  });

  it("all but one of several concurrent requests over two gateways", async () => {
    const room = await channel(scene.db, scene.org.member);
    const askers = [scene.org.owner, scene.org.admin, scene.org.member];
    const answers = await Promise.all(
      askers.flatMap((by) =>
        [scene.gateway, second].map((gateway) => gateway.as(by).call(archiveChannel, at(room.id))),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect(answers.filter(({ status }) => status === 400)).to.have.length(5);
  });
});
