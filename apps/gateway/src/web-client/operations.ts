import { operation, path } from "@carillon/contract";

/** Operations that serve the browser client. They are not part of the API. */

export const getWebClient = operation({
  id: "get-web-client",
  method: "GET",
  path: "/",
  access: "anyone",
  raw: [{ status: 200, about: "The page.", type: "text/html" }],
  summary: "The browser client",
});

export const getWebClientFile = operation({
  id: "get-web-client-file",
  method: "GET",
  path: "/assets/{file}",
  access: "anyone",
  raw: [{ status: 200, about: "The file." }],
  summary: "A file of the browser client",
  pathParams: { file: path.text() },
});
