import { type Account, type Site, checkChangeable, requireMessage } from "@carillon/model";
import type { Database, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { removal } from "../removal/removal.ts";
import { applyChange } from "./apply-change.ts";
import { checkChange } from "./check-change.ts";
import { lockContent, lockMove, mayMove } from "./lock-change.ts";
import { loadText } from "./stored-text.ts";
import type { WantedChange } from "./wanted-change.ts";

/**
 * Changes what a message says, or moves it with others of its topic (messages.md §6.2), in one transaction with all that
 * follows from it.
 * @throws ApiError the first refusal; nothing has changed then
 */
export function changeMessage(
  { db, site }: { readonly db: Database; readonly site: Site },
  account: Account,
  id: number,
  wanted: WantedChange,
): Promise<void> {
  return removal(db, (tx, alone) => change(tx, site, account, id, wanted, alone));
}

async function change(
  tx: Tx,
  site: Site,
  account: Account,
  id: number,
  wanted: WantedChange,
  alone: boolean,
): Promise<void> {
  const seen = await requireMessage(tx, account, id);
  checkChangeable(seen);
  const moves = mayMove(seen, wanted);
  // An account that may not move them waits for nobody, and keeps nobody waiting: a topic may have any number of
  // messages.
  if (moves && wanted.content === undefined)
    await checkChange(tx, site, account, seen, wanted, undefined);
  const held = moves
    ? await lockMove(tx, account, seen, wanted, alone)
    : await lockContent(tx, account, id);
  const { actor, message } = held;
  const stored =
    wanted.content === undefined ? undefined : await loadText(tx, actor.realmId, message.id);
  const checked = await checkChange(tx, site, actor, message, wanted, stored);
  emit(tx, actor.realmId, await applyChange(tx, held, { ...checked, stored, wanted }));
}
