import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { realmOfHost } from "./realms.ts";

describe("realmOfHost", () => {
  const db = useDatabase();

  it("returns the organization that has moved back, although the old one is retired and older", async () => {
    const { realm: old } = await organization(db);
    const { realm: returned } = await organization(db, { subdomain: "" });
    await db.rows(
      `UPDATE realms SET subdomain = 'retired-' || id, moved_to = 'https://elsewhere.test', deactivated = true,
         read_only_since = now() WHERE id = $1`,
      [old.id],
    );
    expect((await realmOfHost(db, "chat.carillon.test")).id).to.equal(returned.id);
  });
});
