import { type RowOf, type Sql, statement } from "@carillon/db";

// `waiting`, `overdue`: unused objects of the file store. The index on `delete_after` has only those. A claimed object
// (`-infinity`) is being deleted.
const figures = statement({
  name: "dashboard-storage",
  text: `SELECT (SELECT count(*) FROM attachments) AS files,
      (SELECT coalesce(sum(bytes_used), 0)::bigint FROM realm_storage) AS bytes,
      (SELECT count(*) FROM stored_objects WHERE delete_after > now() - interval '1 hour' OR delete_after = '-infinity') AS waiting,
      (SELECT count(*) FROM stored_objects WHERE delete_after <= now() - interval '1 hour' AND delete_after > '-infinity') AS overdue`,
});

/** Uploaded files of the whole installation, and unused objects of the file store. */
export type StorageFigures = RowOf<typeof figures>;

/** Counts files and objects. Takes time proportional to their number. */
export async function readStorage(sql: Sql): Promise<StorageFigures> {
  return (await sql.rows(figures))[0]!;
}
