import { statement, type Tx } from "@carillon/db";
import { thumbnail as thumbnailJob } from "@carillon/jobs";
import { recordIntents } from "@carillon/outbox";

const pending = statement({
  name: "imported-images-pending",
  text: `SELECT i.attachment_id AS id FROM images i JOIN attachments a ON a.id = i.attachment_id
    WHERE a.realm_id = $1 AND i.attachment_id > $2 AND i.state = 'pending' ORDER BY i.attachment_id LIMIT $3`,
});

/**
 * Records jobs that make the thumbnails of imported pictures, up to `size` of them.
 * @param after id of the last file of the previous call; 0 at first
 * @returns the id of the last file; undefined if there are no more
 */
export async function recordImportedThumbnails(
  tx: Tx,
  realmId: number,
  after: number,
  size: number,
): Promise<number | undefined> {
  const rows = await tx.rows(pending, [realmId, after, size]);
  await recordIntents(
    tx,
    realmId,
    thumbnailJob,
    rows.map(({ id }) => ({ key: String(id), payload: { attachmentId: id, behind: 0 } })),
  );
  return rows.length < size ? undefined : rows.at(-1)?.id;
}
