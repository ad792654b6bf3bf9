import { operation, path } from "@carillon/contract";

/** Operations that serve the gateway's own reference. */

export const getReference = operation({
  id: "get-reference",
  method: "GET",
  path: "/api",
  access: "anyone",
  raw: [{ status: 200, about: "The page.", type: "text/html" }],
  summary: "This API as a page",
});

export const getReferenceWithSlash = operation({
  id: "get-reference-with-slash",
  method: "GET",
  path: "/api/",
  access: "anyone",
  raw: [{ status: 302, about: "The page is at `/api`." }],
  summary: "The way to this API as a page",
});

export const getReferenceFile = operation({
  id: "get-reference-file",
  method: "GET",
  path: "/api/reference/{file}",
  access: "anyone",
  raw: [{ status: 200, about: "The file." }],
  summary: "What the page is made of",
  pathParams: { file: path.text() },
});

export const getOpenApiDocument = operation({
  id: "get-openapi-document",
  method: "GET",
  path: "/api/v1/openapi.json",
  access: "anyone",
  raw: [{ status: 200, about: "The document.", type: "application/json" }],
  summary: "This API as an OpenAPI document",
});
