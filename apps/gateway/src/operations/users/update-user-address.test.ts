import { getOwnUser } from "@carillon/contract";
import { hostOf, type Picture } from "@carillon/model";
import {
  announced,
  refused,
  organization,
  personChange,
  roles,
  useScene,
  userChanging,
  user,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("PATCH /users/{user_id}: new_email", () => {
  const scene = useScene();
  const { patch, change, refuses } = userChanging(scene);
  const { db, gateway } = scene;
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = scene.org;
    other = await organization(db);
  });

  it("requires an owner with the permission to change addresses", async () => {
    const plain = await user(db, org.realm, { role: roles.owner });
    const flagged = await user(db, org.realm, {
      role: roles.administrator,
      canChangeUserEmails: true,
    });
    for (const by of [plain, flagged, org.admin]) {
      await refuses(by, org.member.id, { new_email: "fresh@carillon.test" });
      await refuses(by, org.member.id, { new_email: org.member.deliveryEmail });
    }
  });

  it("takes effect at once and is sent to accounts that see it", async () => {
    const target = await user(db, org.realm);
    const email = "Brand.New@carillon.test";
    const { now, events } = await change(org.owner, target, { new_email: ` ${email} ` });
    expect(now).to.include({ deliveryEmail: email, email });
    expect(announced(events).slice(0, 2)).to.deep.equal([
      personChange(target.id, { delivery_email: email }),
      personChange(target.id, { new_email: email }),
    ]);
    expect(events).to.have.length(3);
    expect(events[2]?.payload["person"]).to.have.all.keys(
      "user_id",
      "avatar_source",
      "avatar_version",
    );
    const picture = events[2]?.payload["picture"] as Picture;
    const own = (as: string) => gateway.as({ email: as, apiKey: target.apiKey }).call(getOwnUser);
    await refused(db, () => own(target.deliveryEmail), "UNAUTHORIZED");
    const { body } = await own(email.toLowerCase());
    expect(body.delivery_email).to.equal(email);
    expect(body.avatar_url).to.include(`/${picture.hash}?`);
    expect((await change(org.owner, now, { new_email: email })).events).to.deep.equal([]);
    const recased = await change(org.owner, now, { new_email: email.toLowerCase() });
    expect(recased.now.deliveryEmail).to.equal(email.toLowerCase());
  });

  it("is sent to accounts that see it and to its owner if it is hidden", async () => {
    const target = await user(db, org.realm, { settings: { email_address_visibility: 3 } });
    const { now, events } = await change(org.owner, target, { new_email: "still@carillon.test" });
    expect(now.email).to.equal(target.email);
    expect(now.deliveryEmail).to.equal("still@carillon.test");
    const [event, picture] = events;
    expect(event?.payload).to.deep.equal({
      person: { user_id: target.id, delivery_email: "still@carillon.test" },
    });
    expect(event?.audience).to.include.members([org.owner.id, org.admin.id, target.id]);
    expect(event?.audience).not.to.include.oneOf([org.moderator.id, org.member.id, org.guest.id]);
    expect(picture?.payload).to.include.keys("picture");
    expect(picture?.audience).to.deep.equal(event?.audience);
    expect(events).to.have.length(2);
  });

  for (const email of ["", "nora", "nora@", "no ra@carillon.test", "nora\u0000@carillon.test"])
    it(`refuses ${JSON.stringify(email)}`, () =>
      refuses(org.owner, org.member.id, { new_email: email }));

  it("refuses addresses in use, in any case and state, and addresses that the server generates", async () => {
    const gone = await user(db, org.realm, { isActive: false });
    const host = hostOf(gateway.services.site, org.realm);
    for (const email of [
      org.guest.deliveryEmail.toUpperCase(),
      gone.deliveryEmail,
      org.notificationBot.deliveryEmail,
      `user77@${host}`,
    ])
      await refuses(org.owner, org.member.id, { new_email: email });
    const target = await user(db, org.realm);
    await change(org.owner, target, { new_email: other.guest.deliveryEmail });
  });

  it("is assigned to one of two accounts in concurrent requests", async () => {
    const [a, b] = [await user(db, org.realm), await user(db, org.realm)];
    const answers = await Promise.all(
      [a, b].map(({ id }) => patch(org.owner, id, { new_email: "raced@carillon.test" })),
    );
    expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
  });
});
