import { initialOrganizationSettings } from "@carillon/contract";
import { loadOrganizationSettings } from "@carillon/model";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

describe("A new organization", () => {
  const db = useDatabase();

  it("has the initial settings that are declared: they are the defaults of the columns", async () => {
    const { realm } = await organization(db);
    const settings = await loadOrganizationSettings(db, realm.id);
    const { name, ...others } = settings;
    expect(name).to.equal(realm.name);
    expect(others).to.deep.equal(initialOrganizationSettings());
  });
});
