import { z } from "zod";
import type { Example } from "../primitives/example.ts";
import { operation, type RawAnswer } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** `POST /user_uploads` (files.md §1). */
export const uploadFile = operation({
  id: "upload-file",
  method: "POST",
  path: "/api/v1/user_uploads",
  access: "account",
  takesFile: true,
  summary: "Upload a file",
  description:
    "The file is the only file part of the form; the part may have any name. Write the answer's `url` as the destination of a " +
    "link in a message, and everybody who may read the message may read the file.",
  example: { file: { name: "hello.txt", content: "Hello from curl" } },
  result: {
    url: z.string().describe("The address of the file, without the server's."),
    uri: z.string().describe("The same as `url`."),
    filename: z.string(),
  },
  errors: ["REQUEST_TOO_LARGE", "REALM_UPLOAD_QUOTA"],
});

/** The examples read the file that the example of `uploadFile` has uploaded. */
const uploaded: Example = {
  made: { PATH_ID: ["upload-file", "url", "/user_uploads/"] },
  path: { path_id: "$PATH_ID" },
};

/** `GET /user_uploads/{path_id}` below `/api/v1` (files.md §2). */
export const getTemporaryUrl = operation({
  id: "get-file-temporary-url",
  method: "GET",
  path: "/api/v1/user_uploads/{path_id}",
  pathParams: { path_id: path.rest({ anyText: true }) },
  access: "account",
  rateBucket: "files",
  summary: "Get an address of a file that needs no credentials",
  description: "It works for 60 seconds.",
  example: uploaded,
  result: { url: z.string() },
  missingIs404: true,
});

const bytes: readonly RawAnswer[] = [
  { status: 200, about: "The file.", type: "application/octet-stream" },
  { status: 206, about: "The range that the request asks for.", type: "application/octet-stream" },
  { status: 304, about: "The client has the file." },
];

/** `GET /user_uploads/temporary/{token}/{safe name}` (files.md §2). */
export const readTemporaryUrl = operation({
  id: "read-file-by-temporary-url",
  method: "GET",
  path: "/user_uploads/temporary/{address}",
  pathParams: { address: path.rest({ anyText: true }) },
  access: "anyone",
  rateBucket: "files",
  summary: "Read a file by its temporary address",
  example: {
    made: { ADDRESS: ["get-file-temporary-url", "url", "/user_uploads/temporary/"] },
    path: { address: "$ADDRESS" },
  },
  raw: bytes,
});

/** `GET /user_uploads/{path_id}` (files.md §2). */
export const readFile = operation({
  id: "read-file",
  method: "GET",
  path: "/user_uploads/{path_id}",
  pathParams: { path_id: path.rest({ anyText: true }) },
  access: "account",
  rateBucket: "files",
  summary: "Read a file",
  description:
    "One byte range, `If-None-Match` and `If-Range` are understood. Types that a browser would run are sent as attachments.",
  example: uploaded,
  raw: bytes,
  missingIs404: true,
});

/** `GET /user_uploads/download/{path_id}` (files.md §2). */
export const downloadFile = operation({
  id: "download-file",
  method: "GET",
  path: "/user_uploads/download/{path_id}",
  pathParams: { path_id: path.rest({ anyText: true }) },
  access: "account",
  rateBucket: "files",
  summary: "Download a file",
  description: "The same as reading it, but browsers save it.",
  example: uploaded,
  raw: bytes,
  missingIs404: true,
});
