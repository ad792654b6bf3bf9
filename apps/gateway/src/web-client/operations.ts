import { operation, path } from "@carillon/contract";
import { staticReply } from "../http/static-reply.ts";

/** Operations that serve the browser client. They are not part of the API. */

export const getWebClient = operation({
  ...staticReply("The page.", "text/html"),
  id: "get-web-client",
  path: "/",
  summary: "The browser client",
});

export const getDemoAccounts = operation({
  ...staticReply("The accounts.", "application/json"),
  id: "get-demo-accounts",
  path: "/demo_accounts",
  // Without CORS headers: no other site may read the answer.
  page: true,
  summary: "The demo accounts of an evaluation on this machine",
});

export const getWebClientFile = operation({
  ...staticReply("The file."),
  id: "get-web-client-file",
  path: "/assets/{file}",
  pathParams: { file: path.text() },
  summary: "A file of the browser client",
});
