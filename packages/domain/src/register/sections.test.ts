import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { sections } from "./sections.ts";
import { fieldsOf } from "./snapshot-sections.test.ts";

describe("the sections of the snapshot", () => {
  const db = useDatabase();

  it("have disjoint fields, so that their order does not matter", async () => {
    const { member } = await organization(db);
    const named = sections.flatMap(({ names }) => names);
    const loaded = await Promise.all(
      sections.map((section) => fieldsOf(db, section, member, { named })),
    );
    const fields = loaded.flatMap((one) => Object.keys(one));
    expect(fields.length).to.be.greaterThan(100);
    expect(fields.filter((field, at) => fields.indexOf(field) !== at)).to.deep.equal([]);
  });
});
