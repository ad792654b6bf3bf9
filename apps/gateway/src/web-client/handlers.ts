import { errors } from "@carillon/contract";
import { rawHandlerFor, type Handler } from "../http/handler.ts";
import { isFromThisMachine, type ReadDemoAccounts } from "./demo-accounts.ts";
import type { WebClientFiles } from "./files.ts";
import { getDemoAccounts, getWebClient, getWebClientFile } from "./operations.ts";
import { pageHeaders, type PolicyOptions } from "./policy.ts";

/** A browser client to serve. */
export interface WebClient extends PolicyOptions {
  readonly files: WebClientFiles;
  /** The demo accounts that it offers; unless given none. */
  readonly demoAccounts?: ReadDemoAccounts | undefined;
}

/** Passwords are in the answer. */
const demoHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** The name of a file has a hash of its content. */
const fileHeaders = { "Cache-Control": "public, max-age=31536000, immutable" };

/**
 * Makes handlers for the page of the browser client and the files that it loads. They are the same for every organization:
 * the script asks the API of the address that it is loaded from.
 */
export function webClientHandlers({
  files,
  demoAccounts,
  ...policy
}: WebClient): Handler<unknown>[] {
  const handle = rawHandlerFor<unknown>();
  const headers = pageHeaders(policy);
  return [
    handle(getWebClient, async () => ({ headers, body: files.page })),
    ...(demoAccounts
      ? [
          handle(getDemoAccounts, async ({ host, ip, headers: sent }) => {
            if (!isFromThisMachine(host, ip, sent)) throw errors.notFound();
            return {
              headers: demoHeaders,
              body: JSON.stringify({ accounts: await demoAccounts() }),
            };
          }),
        ]
      : []),
    handle(getWebClientFile, async ({ path }) => {
      const read = files.assets.get(path.file);
      if (!read) throw errors.notFound();
      return { headers: fileHeaders, body: await read().catch(whyMissing) };
    }),
  ];
}

/** Throws ApiError `NOT_FOUND` if a later build has deleted the file; rethrows any other error. */
function whyMissing(error: NodeJS.ErrnoException): never {
  throw error.code === "ENOENT" ? errors.notFound() : error;
}
