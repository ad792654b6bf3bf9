import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import type { Section } from "../snapshot-section.ts";
import { sections, wantedSections } from "./sections.ts";
import { fieldsOf } from "./test-support.ts";

describe("the sections of the snapshot", () => {
  const db = useDatabase();

  it("are all sent without a list of types, unless they are opt-in", () => {
    const load = async () => ({});
    const usual: Section = { names: ["cakes"], load };
    const pair: Section = { names: ["cakes", "pies"], load };
    const optIn: Section = { names: ["pies"], optIn: true, load };
    const wanted = (...types: string[]) => wantedSections(new Set(types), [usual, pair, optIn]);
    expect(wantedSections(undefined, [usual, pair, optIn])).to.deep.equal([usual, pair]);
    expect(wanted()).to.deep.equal([]);
    expect(wanted("cakes")).to.deep.equal([usual]);
    expect(wanted("pies")).to.deep.equal([optIn]);
    expect(wanted("cakes", "pies")).to.deep.equal([usual, pair, optIn]);
  });

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
