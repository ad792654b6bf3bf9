import * as z from "zod";
import { event } from "../primitives/event.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** An uploaded file in answers and events for its uploader (files.md §4). */
export const attachmentShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  /** The path below `/user_uploads/`. */
  path_id: z.string(),
  /** Bytes. */
  size: z.int(),
  /** UNIX seconds. */
  create_time: z.int(),
  /** The newest 1,000 messages that claim it, ascending. */
  message_ids: z.array(z.int()),
});

/** The type of {@link attachmentShape}. */
export type AttachmentObject = z.output<typeof attachmentShape>;

/** `GET /attachments` (files.md §4). */
export const listAttachments = operation({
  id: "get-attachments",
  method: "GET",
  path: "/api/v1/attachments",
  access: "account",
  summary: "Get the account's uploaded files",
  example: { made: { URL: ["upload-file", "url"] } },
  result: {
    attachments: z.array(attachmentShape),
    upload_space_used: z.int().describe("Bytes of all uploaded files of the organization."),
  },
});

/** `DELETE /attachments/{attachment_id}` (files.md §4). */
export const deleteAttachment = operation({
  id: "remove-attachment",
  method: "DELETE",
  path: "/api/v1/attachments/{attachment_id}",
  pathParams: { attachment_id: path.int() },
  access: "account",
  idempotencyKey: true,
  summary: "Delete an uploaded file",
  description:
    "Only the account that has uploaded the file may delete it. Messages keep their links, which are then answered with 404.",
  example: {
    made: { ATTACHMENT_ID: ["get-attachments", "id"] },
    path: { attachment_id: "$ATTACHMENT_ID" },
  },
});

const fileOfUploader = { attachment: attachmentShape, upload_space_used: z.int() };

export const attachmentAdded = event({
  type: "attachment",
  op: "add",
  about: "The account has uploaded a file.",
  to: "some",
  receivers: "the account",
  fields: fileOfUploader,
});

export const attachmentUpdated = event({
  type: "attachment",
  op: "update",
  about: "The list of messages that link to a file of the account has changed.",
  to: "some",
  receivers: "the account",
  fields: fileOfUploader,
});

export const attachmentRemoved = event({
  type: "attachment",
  op: "remove",
  about: "A file of the account has been deleted.",
  to: "some",
  receivers: "the account",
  fields: { attachment: z.strictObject({ id: z.int() }), upload_space_used: z.int() },
});
