import {
  createResumableUpload,
  findResumableUpload,
  tusExtensions,
  tusVersion,
} from "@carillon/contract";
import { corsHeaders } from "./exchange.ts";
import type { PathHeaders } from "./pipeline-options.ts";

const requestHeaders = [
  "Content-Type",
  "Tus-Resumable",
  "Upload-Length",
  "Upload-Metadata",
  "Upload-Offset",
  "X-HTTP-Method-Override",
  "X-Request-ID",
];

const responseHeaders = [
  "Location",
  "Tus-Extension",
  "Tus-Max-Size",
  "Tus-Resumable",
  "Tus-Version",
  "Upload-Expires",
  "Upload-Length",
  "Upload-Metadata",
  "Upload-Offset",
];

/** Returns the headers of resumable uploads (files.md §7). @param maxSize bytes of a file */
export function tusHeaders(maxSize: number): ReadonlyMap<string, PathHeaders> {
  const headers = {
    all: {
      "Tus-Resumable": tusVersion,
      "Access-Control-Allow-Headers": [
        corsHeaders["Access-Control-Allow-Headers"],
        ...requestHeaders,
      ].join(", "),
      "Access-Control-Expose-Headers": [
        corsHeaders["Access-Control-Expose-Headers"],
        ...responseHeaders,
      ].join(", "),
    },
    options: {
      "Tus-Version": tusVersion,
      "Tus-Extension": tusExtensions.join(","),
      "Tus-Max-Size": String(maxSize),
    },
  };
  return new Map([createResumableUpload, findResumableUpload].map(({ path }) => [path, headers]));
}
