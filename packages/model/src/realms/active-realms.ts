import { column, statement } from "@carillon/db";

/** The ids of all organizations that are not deactivated: for recurring work, which takes one after the other. */
export const activeRealms = statement({
  name: "active-realms",
  text: "SELECT id FROM realms WHERE NOT deactivated ORDER BY id",
  row: { id: column.int },
});
