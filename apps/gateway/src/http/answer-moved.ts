import { errors, type Operation } from "@carillon/contract";
import type { Context } from "koa";

import type { Exchange } from "./exchange.ts";

/**
 * Answers a request without a key at the host name of an organization that has moved. Browsers are redirected to the same
 * path. API clients get an error with the new address, because most of them do not send their credentials to another host.
 * @throws ApiError `REALM_DEACTIVATED` for API requests
 */
export function answerMoved(ctx: Context, exchange: Exchange, url: string): void {
  if (/^\/(?:api|json)\//.test(ctx.path)) throw errors.realmMoved(url);
  exchange.reply(308, "", { Location: `${url}${ctx.url}` });
}

/** Returns whether the request has a key, so that its organization does not depend on the host name. */
export function hasApiKey(ctx: Context, { access, takesPayload }: Operation): boolean {
  if (access === "anyone") return false;
  // Programs send the payloads of webhooks with the key in the address or in a form.
  return takesPayload === true || ctx.req.headers.authorization !== undefined;
}
