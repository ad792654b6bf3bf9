import { operation, path } from "@carillon/contract";

/** Operations that serve the gateway's own reference. */

export const getReference = operation({
  id: "get-reference",
  method: "GET",
  path: "/api",
  access: "anyone",
  raw: [{ status: 200, about: "The page.", type: "text/html" }],
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
  id: "get-reference-file",
  method: "GET",
  path: "/api/reference/{file}",
  access: "anyone",
  raw: [{ status: 200, about: "The file." }],
  summary: "A file of the API reference",
  pathParams: { file: path.text() },
});

export const getOpenApiDocument = operation({
  id: "get-openapi-document",
  method: "GET",
  path: "/api/v1/openapi.json",
  access: "anyone",
  raw: [{ status: 200, about: "The document.", type: "application/json" }],
  summary: "The OpenAPI document",
});
