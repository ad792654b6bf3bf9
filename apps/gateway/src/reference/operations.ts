import { operation, path } from "@carillon/contract";
import { staticReply } from "../http/static-reply.ts";

/** Operations that serve the gateway's own reference. */

export const getReference = operation({
  ...staticReply("The page.", "text/html"),
  id: "get-reference",
  path: "/api",
  summary: "The API reference",
});

export const getReferenceWithSlash = operation({
  id: "get-reference-with-slash",
  method: "GET",
  path: "/api/",
  access: "anyone",
  raw: [{ status: 302, about: "The page is at `/api`." }],
  summary: "Redirect to the API reference",
});

export const getReferenceFile = operation({
  ...staticReply("The file."),
  id: "get-reference-file",
  path: "/api/reference/{file}",
  pathParams: { file: path.text() },
  summary: "A file of the API reference",
});

export const getOpenApiDocument = operation({
  ...staticReply("The document.", "application/json"),
  id: "get-openapi-document",
  path: "/api/v1/openapi.json",
  summary: "The OpenAPI document",
});
