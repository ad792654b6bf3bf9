import * as contract from "@carillon/contract";
import { deleteAttachment, listAttachments } from "@carillon/domain";
import { handle } from "../handle.ts";
import { inPages } from "../http/pages.ts";

export default [
  handle.reads(contract.listAttachments, async ({ sql, snapshot, actor }) => {
    const { attachments, ...used } = await snapshot((tx) => listAttachments(tx, actor));
    return { attachments: inPages(attachments, sql), ...used };
  }),

  handle.changes(contract.deleteAttachment, ({ tx, path, actor }) =>
    deleteAttachment(tx, actor, path.attachment_id),
  ),
];
