import { attachmentRemoved, type NewEvent } from "@carillon/contract";

/** Maximum length of `message_ids`, which has the newest messages: the event of each claim repeats the whole list. */
const maxMessageIds = 1_000;

/** SQL: the fields of an attachment `a`, as clients get it (files.md §4). */
export const shownColumns = `a.id, a.name, a.path_id, a.size, floor(extract(epoch FROM a.created_at))::bigint AS create_time,
      (SELECT coalesce(json_agg(newest.id ORDER BY newest.id), '[]') FROM (
        SELECT m.id FROM attachment_claims claim JOIN messages m ON m.id = claim.message_id
        WHERE claim.attachment_id = a.id ORDER BY claim.message_id DESC LIMIT ${maxMessageIds}) newest) AS message_ids`;

/** Creates the event of a deleted file. @param used bytes of the organization's remaining uploads */
export function removedEvent(
  { id, ownerId }: { readonly id: number; readonly ownerId: number },
  used: number,
): NewEvent {
  return attachmentRemoved(
    { attachment: { id }, upload_space_used: used },
    { audience: [ownerId] },
  );
}
