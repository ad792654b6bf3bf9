import type { NarrowTerm } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { type Account, loadRealm } from "@carillon/model";

import { changeFlag, type EditableFlag } from "../flags/change-flag.ts";
import { parseAnchor } from "../read/anchor.ts";
import { findMessages, foundInRefusedChannel } from "../read/find-messages.ts";
import { checkTerms } from "../read/narrow/check-terms.ts";
import { compileNarrow } from "../read/narrow/compile.ts";
import { narrowLookups } from "../read/narrow/lookups.ts";
import { followWith } from "../read/narrow/with.ts";
import { checkAmount, maxMessages, type Wanted } from "../read/request.ts";

export interface FlagChangeInNarrow {
  readonly op: "add" | "remove";
  readonly flag: EditableFlag;
  readonly anchor: string;
  /** Goes with the anchor `date`. */
  readonly anchorDate?: string | undefined;
  readonly includeAnchor: boolean;
  readonly numBefore: number;
  readonly numAfter: number;
  readonly narrow: readonly NarrowTerm[];
}

export interface FlagsInNarrow {
  /** The messages of the window, ascending. */
  readonly ids: readonly number[];
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
  /** How many of them were different before. */
  readonly changed: number;
  /** Channels whose messages stay read, ascending. */
  readonly ignored: number[];
}

/**
 * Changes a flag of the account's copies of the messages that match a narrow around an anchor (messages.md §7). What goes
 * out of the account's sight meanwhile is left out.
 * @throws ApiError `BAD_REQUEST`, `BAD_NARROW`, `UNAUTHORIZED`
 */
export async function changeFlagInNarrow(
  tx: Tx,
  account: Account,
  change: FlagChangeInNarrow,
): Promise<FlagsInNarrow> {
  checkTerms(change.narrow);
  const wanted = clamped({ ...change, kind: "window", anchor: parseAnchor(change) });
  const terms = await followWith(tx, account, change.narrow);
  checkAmount(wanted);
  const realm = loadRealm(tx, account.realmId);
  const lookups = narrowLookups(tx, account);
  const narrow = await compileNarrow(terms, { viewer: account, realm, lookups });
  const { ids, foundOldest, foundNewest } =
    narrow.channel === "refused"
      ? foundInRefusedChannel(wanted)
      : await findMessages(tx, { viewer: account, narrow }, wanted);
  const { op, flag } = change;
  const result = await changeFlag(tx, account, { op, flag, ids, unseen: "left out" });
  return { ids, foundOldest, foundNewest, ...result };
}

type Window = Extract<Wanted, { kind: "window" }>;

/** A window of no more than is changed at once; of two large sides each keeps a half. */
function clamped(window: Window): Window {
  const half = maxMessages / 2;
  const numBefore = Math.min(window.numBefore, Math.max(maxMessages - window.numAfter, half));
  return { ...window, numBefore, numAfter: Math.min(window.numAfter, maxMessages - numBefore) };
}
