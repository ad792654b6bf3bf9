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

export const getDemoAccounts = operation({
  id: "get-demo-accounts",
  method: "GET",
  path: "/demo_accounts",
  access: "anyone",
  // Without CORS headers: no other site may read the answer.
  page: true,
  raw: [{ status: 200, about: "The accounts.", type: "application/json" }],
  summary: "The demo accounts of an evaluation on this machine",
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
