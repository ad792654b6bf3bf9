import { ownPictureUrl, pictureOf, presentUser } from "@carillon/model";
import {
  eventsOf,
  organization,
  user,
  useDatabase,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { logged, queue, presented, presentWithAndWithout } from "./test-support.ts";

describe("events of accounts", () => {
  const db = useDatabase();
  let org: TestOrganization;

  before(async () => {
    org = await organization(db);
  });

  it("realm_user/add: contains the account as the receiver sees it, with avatars as the client requests them", async () => {
    for (const visibility of [1, 3]) {
      const { result: account, events } = await eventsOf(db, org.realm.id, () =>
        user(db, org.realm, { settings: { email_address_visibility: visibility } }),
      );
      const added = events.filter(({ type }) => type === "realm_user");
      for (const viewer of [org.admin, org.guest])
        for (const clientGravatar of [true, false]) {
          const mine = added.filter(
            ({ audience }) => audience === null || audience.includes(viewer.id),
          );
          const person = presentUser(viewer, account, {
            siteUrl: "http://carillon.test",
            clientGravatar,
            profileData: {},
          });
          expect(
            mine.flatMap((event) =>
              presented(event, queue({ clientGravatar }, viewer.id, "queue", viewer.role)),
            ),
          ).to.deep.equal([{ type: "realm_user", op: "add", person }]);
          const madeUp = clientGravatar && visibility === 1;
          const url =
            visibility === 3 && viewer === org.guest
              ? `http://carillon.test/avatar/${account.id}?version=1`
              : ownPictureUrl("", pictureOf(account));
          expect(person.avatar_url).to.equal(madeUp ? null : url);
        }
    }
  });

  // The log outlives an upgrade: older rows had a single URL at Gravatar for all receivers.
  it("from before pictures were logged show a Gravatar URL only to their audience", () => {
    const avatar_url = `https://secure.gravatar.com/avatar/${"0a".repeat(16)}?d=identicon&version=3`;
    const generated = "http://carillon.test/avatar/9?version=3";
    const urlFor = (person: object, viewer: number, public_gravatar = false) => {
      const payload = { person: { user_id: 9, avatar_url, ...person }, public_gravatar };
      const [event] = presented(
        logged({ type: "realm_user", op: "add", payload }),
        queue({}, viewer),
      );
      const shown = event?.["person"] as { avatar_url: string | null } | undefined;
      return shown?.avatar_url;
    };
    expect(urlFor({ delivery_email: "nina@carillon.test" }, 1)).to.equal(avatar_url);
    expect(urlFor({ delivery_email: "nina@carillon.test" }, 1, true)).to.equal(null);
    expect(urlFor({ delivery_email: null }, 1)).to.equal(generated);
    expect(urlFor({ delivery_email: null }, 9)).to.equal(avatar_url);

    const urls = { avatar_url, avatar_url_medium: `${avatar_url}&s=500` };
    const person = { user_id: 9, avatar_source: "G", avatar_version: 3 };
    const changed = logged({
      type: "realm_user",
      op: "update",
      payload: { person: { ...person, ...urls } },
    });
    const head = { type: "realm_user", op: "update" };
    expect(presented(changed, queue({}, 9))).to.deep.equal([
      { ...head, person: { ...person, ...urls } },
    ]);
    const hidden = { avatar_url: generated, avatar_url_medium: `${generated}&s=500` };
    expect(presented(changed, queue({}, 1))).to.deep.equal([
      { ...head, person: { ...person, ...hidden } },
    ]);
  });

  it("realm_user/add: sends stand-ins only to clients that need all users", () => {
    const person = { user_id: 9, full_name: "Unknown user", avatar_url: "https://avatars.test/9" };
    const payload = { person, placeholder: true };
    const outcome = presentWithAndWithout(
      { type: "realm_user", op: "add", payload },
      "user_list_incomplete",
    );
    expect(outcome.with).to.deep.equal([]);
    expect(outcome.without).to.deep.equal([{ type: "realm_user", op: "add", person }]);
  });

  it("realm_user/update and remove: are sent as logged", () => {
    for (const op of ["update", "remove"]) {
      const person = { user_id: 9, full_name: "Mia" };
      expect(
        presented(logged({ type: "realm_user", op, payload: { person } }), queue()),
      ).to.deep.equal([{ type: "realm_user", op, person }]);
    }
  });

  it("realm_user: always contains the avatar, also for clients that support its absence", () => {
    const person = { user_id: 9, avatar_url: "https://avatars.test/9" };
    const payload = { person, public_gravatar: false };
    const outcome = presentWithAndWithout(
      { type: "realm_user", op: "add", payload },
      "user_avatar_url_field_optional",
    );
    expect(outcome.without).to.deep.equal([{ type: "realm_user", op: "add", person }]);
    const optional = queue({ capabilities: ["user_avatar_url_field_optional"] });
    expect(presented(logged({ type: "realm_user", op: "add", payload }), optional)).to.deep.equal([
      { type: "realm_user", op: "add", person },
    ]);
  });
});
