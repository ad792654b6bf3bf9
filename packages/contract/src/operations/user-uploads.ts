import * as z from "zod";
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
    "The form has exactly one file part, of any name. Use the answer's `url` as the destination of a link in a message: " +
    "every account that may read the message may then read the file.",
  example: { file: { name: "hello.txt", content: "Hello from curl" } },
  result: {
    url: z.string().describe("The path of the file on this server."),
    uri: z.string().describe("The same as `url`."),
    filename: z.string(),
  },
  errors: ["REQUEST_TOO_LARGE", "REALM_UPLOAD_QUOTA"],
});

/** The file that the example of `uploadFile` has uploaded; the other examples read it. */
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
  description: "The address works for 60 seconds.",
  example: uploaded,
  result: { url: z.string() },
  missingIs404: true,
});

const bytes: readonly RawAnswer[] = [
  { status: 200, about: "The file.", type: "application/octet-stream" },
  { status: 206, about: "The requested range of the file.", type: "application/octet-stream" },
  { status: 304, about: "The client already has the file." },
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
    "Supports one byte range, `If-None-Match` and `If-Range`. Types that a browser would run are sent as attachments.",
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
  description: "The same answer as that of reading the file, but browsers save it.",
  example: uploaded,
  raw: bytes,
  missingIs404: true,
});

/** `GET /user_uploads/thumbnail/{path_id}/{format}` (files.md §5). */
export const readThumbnail = operation({
  id: "read-thumbnail",
  method: "GET",
  path: "/user_uploads/thumbnail/{address}",
  pathParams: { address: path.rest({ anyText: true }) },
  access: "account",
  rateBucket: "files",
  summary: "Read a thumbnail of an image",
  description:
    "The address is the path of the file and the name of a format, such as `840x560.webp` or `840x560-anim.webp`. If " +
    "that format does not exist, the answer is the closest one: animated as asked, then of the nearest width.",
  example: {
    made: { PATH_ID: ["upload-file", "url", "/user_uploads/"] },
    path: { address: "$PATH_ID/840x560.webp" },
    refused: [404, "the uploaded file is text, which has no thumbnails"],
  },
  raw: bytes,
  missingIs404: true,
});

/** The picture in messages until the thumbnails of an image have been made (files.md §5). */
export const readLoader = operation({
  id: "read-image-placeholder",
  method: "GET",
  path: "/static/images/loading/loader-black.svg",
  access: "anyone",
  summary: "Read the picture that is shown until thumbnails are made",
  raw: [{ status: 200, about: "The picture.", type: "image/svg+xml" }],
});
