import * as contract from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { findUnsubscribe, unsubscribe, type UnsubscribeHolder } from "@carillon/domain";
import type { Site } from "@carillon/model";

import { handle } from "../handle.ts";
import { unsubscribedPage, unsubscribePage } from "../pages/unsubscribe.ts";

/** Finds the account of an unsubscribe link. @throws ApiError 404, the same for all links that do not work */
async function holderOf(sql: Sql, site: Site, key: string): Promise<UnsubscribeHolder> {
  const holder = await findUnsubscribe(sql, site, key);
  if (!holder) throw contract.errors.notFound404("There is no such link");
  return holder;
}

export default [
  handle.readsRaw(contract.showUnsubscribe, async ({ sql, path, services }) =>
    unsubscribePage(await holderOf(sql, services.site, path.key)),
  ),

  // No guarded form, because mail programs send this request without showing a page.
  handle.changesRaw(contract.endMissedMails, async ({ tx, path, services }) => {
    const holder = await holderOf(tx, services.site, path.key);
    await unsubscribe(tx, holder);
    return unsubscribedPage(holder);
  }),
];
