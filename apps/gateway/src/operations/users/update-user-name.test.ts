import {
  announced,
  changeOrganization,
  organization,
  personChange,
  reload,
  useScene,
  userChanging,
  user,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("PATCH /users/{user_id}: full_name", () => {
  const scene = useScene();
  const { patch, change, refuses } = userChanging(scene);
  const { db } = scene;
  let org: TestOrganization;
  before(() => {
    org = scene.org;
  });

  it("is stored trimmed and sent once", async () => {
    const target = await user(db, org.realm);
    const { now, events } = await change(org.admin, target, { full_name: "  Nina Née  " });
    expect(now.fullName).to.equal("Nina Née");
    expect(announced(events)).to.deep.equal([personChange(target.id, { full_name: "Nina Née" })]);
    for (const full_name of ["Nina Née", "  Nina Née ", "", "   "])
      expect((await change(org.admin, target, { full_name })).events).to.deep.equal([]);
  });

  for (const [title, name] of [
    ["longer than 100 characters", "x".repeat(101)],
    ["with an asterisk", "a*b"],
    ["with a backquote", "a`b"],
    ["with a backslash", "a\\b"],
    ["with >", "a>b"],
    ["with a quotation mark", 'a"b'],
    ["with @", "a@b"],
    ["with a control character", "a\u0007b"],
    ["with U+0000", "a\u0000b"],
    ["with a non-character", "a\uffffb"],
    ["that ends like a mention's id", "Ann|12"],
  ] as const)
    it(`refuses a name ${title}`, () => refuses(org.owner, org.member.id, { full_name: name }));

  it("accepts a name in use unless names must be unique, including deactivated accounts'", async () => {
    const own = await organization(db);
    const target = await user(db, own.realm);
    const rename = (full_name: string) => patch(own.admin, target.id, { full_name });
    expect((await rename(own.member.fullName)).body.result).to.equal("success");
    await rename("Free Again");
    await changeOrganization(db, own.realm, {
      requireUniqueNames: true,
      nameChangesDisabled: true,
    });
    await user(db, own.realm, { fullName: "Zoë Gone", isActive: false });
    await refuses(own.admin, target.id, { full_name: own.member.fullName.toUpperCase() });
    await refuses(own.admin, target.id, { full_name: "zoe\u0308 GONE" });
    expect((await rename("FREE again")).body.result).to.equal("success");
    expect((await reload(db, target)).fullName).to.equal("FREE again");
  });
});
