import { type HeaderParameter, operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** Version of the tus protocol that the operations below speak. */
export const tusVersion = "1.0.0";

/** The extensions of tus that the operations support. */
export const tusExtensions = [
  "creation",
  "creation-with-upload",
  "termination",
  "expiration",
] as const;

const resumable: HeaderParameter = {
  name: "Tus-Resumable",
  about: `The version of tus: \`${tusVersion}\`.`,
  required: true,
};

/** A header of all examples. */
const version = { "Tus-Resumable": tusVersion };

/** What operations on one upload have in common. */
const ofUpload = {
  path: "/api/v1/tus/{upload_id}",
  pathParams: { upload_id: path.text() },
  access: "account",
  protocol: "tus",
  missingIs404: true,
} as const;

/** The upload that the example of `createResumableUpload` has begun. */
const begun = {
  made: { UPLOAD_ID: ["create-resumable-upload", "Location", "/api/v1/tus/"] },
  path: { upload_id: "$UPLOAD_ID" },
  headers: version,
} as const;

/** `POST /tus` (files.md §7). */
export const createResumableUpload = operation({
  id: "create-resumable-upload",
  method: "POST",
  path: "/api/v1/tus",
  access: "account",
  protocol: "tus",
  summary: "Begin a resumable upload",
  description:
    "Resumable uploads speak tus 1.0.0. Use a client library of that protocol, with the account's credentials in the header " +
    "`Authorization`. An upload expires after 24 hours.",
  headers: [
    resumable,
    { name: "Upload-Length", about: "Bytes of the file.", required: true },
    {
      name: "Upload-Metadata",
      about: "`filename` and `filetype`, in Base64.",
      required: false,
    },
  ],
  example: {
    headers: { ...version, "Upload-Length": "5", "Upload-Metadata": "filename aGVsbG8udHh0" },
    showsHeaders: true,
  },
  raw: [{ status: 201, about: "The header `Location` has the address of the upload." }],
  errors: ["REQUEST_TOO_LARGE"],
});

/** `HEAD /tus/{upload_id}` (files.md §7). */
export const findResumableUpload = operation({
  ...ofUpload,
  id: "find-resumable-upload",
  method: "HEAD",
  summary: "Get the offset of a resumable upload",
  headers: [resumable],
  example: begun,
  raw: [{ status: 200, about: "The header `Upload-Offset` has the number of stored bytes." }],
});

/** `PATCH /tus/{upload_id}` (files.md §7). */
export const resumeUpload = operation({
  ...ofUpload,
  id: "resume-upload",
  method: "PATCH",
  summary: "Send bytes of a resumable upload",
  headers: [
    resumable,
    { name: "Upload-Offset", about: "The number of bytes that are stored.", required: true },
  ],
  bytesType: "application/offset+octet-stream",
  example: {
    ...begun,
    headers: {
      ...version,
      "Upload-Offset": "0",
      "Content-Type": "application/offset+octet-stream",
    },
    bytes: "hello",
  },
  raw: [
    { status: 204, about: "The header `Upload-Offset` has the new number of stored bytes." },
    {
      status: 200,
      about: "The file is complete. The answer has its `url` and `filename`.",
      type: "application/json",
    },
  ],
  errors: ["REQUEST_TOO_LARGE"],
});

/** `DELETE /tus/{upload_id}` (files.md §7). */
export const deleteResumableUpload = operation({
  ...ofUpload,
  id: "delete-resumable-upload",
  method: "DELETE",
  summary: "Delete a resumable upload",
  description: "The file of a finished upload stays.",
  headers: [resumable],
  example: begun,
  raw: [{ status: 204, about: "The upload is deleted." }],
});
