import { composed, type Sql, statement } from "@carillon/db";
import { loadAfter } from "@carillon/model";

import {
  idsOf,
  hitsStatement,
  horizonExamples,
  horizonStatement,
  type Search,
  type Side,
  walkStatement,
} from "./window.ts";
import type { WordSearch } from "./narrow/operator.ts";
import type { Path } from "./source.ts";

/*
 * The index finds a rare word quickly, but its entries are not ordered by id. A common word is found quickly by
 * scanning the messages from the anchor. Which case applies is unknown: the planner's estimates for combinations of
 * words are wrong by any factor. So each strategy is tried only as long as it may still be the faster one. At 3 million
 * messages, scanning 20,000 messages takes about 100 ms, and so do 10,000 index hits.
 */

/** How far each strategy is tried. */
export interface Effort {
  /** Messages to scan first; enough if the conversation is small or the word common. */
  readonly near: (side: Side) => number;
  /** Index hits to examine before the word counts as common. */
  readonly few: number;
  /** Messages to scan for a common word. */
  readonly far: (side: Side) => number;
}

const usual: Effort = {
  near: ({ limit }) => 2_000 + 2 * limit,
  few: 10_000,
  far: ({ limit }) => 20_000 + 20 * limit,
};

/** Finds the ids of matching messages that contain the words, on all sides, unordered, in at most ten statements. */
export async function findWords(
  sql: Sql,
  search: Search,
  words: WordSearch,
  sides: readonly Side[],
  path: Path,
  { near, few, far }: Effort = usual,
): Promise<number[]> {
  if (words.lexemes.length === 0) return [];
  const found: number[] = [];
  let open = sides;

  /**
   * Scans up to `steps` messages on each open side, and keeps a side open if its scan found too few and did not reach
   * the end.
   * @returns whether a scan ten times as long would probably find enough
   */
  async function walk(steps: (side: Side) => number): Promise<boolean> {
    const ids = await idsOf(sql, walkStatement(search, path, open, steps));
    const short = open.filter((side) => onSide(side, ids).length < side.limit);
    const continuing =
      short.length > 0 ? await continuingSides(sql, search, path, short, steps) : [];
    for (const side of open) if (!continuing.includes(side)) found.push(...onSide(side, ids));
    open = continuing;
    return continuing.every((side) => 10 * onSide(side, ids).length >= side.limit);
  }
  async function hit(most?: number): Promise<void> {
    const { ids } = await loadAfter(sql.rows(byIndex, ["off"]), {
      ids: idsOf(sql, hitsStatement(search, words.hasWords, open, most)),
      on: sql.rows(byIndex, ["on"]),
    });
    if (ids.includes(0)) return;
    found.push(...ids);
    open = [];
  }
  const isCommon = await walk(near);
  if (open.length > 0 && !isCommon) await hit(few);
  if (open.length > 0) await walk(far);
  if (open.length > 0) await hit();
  return found;
}

/**
 * Disables sequential scans: the planner overestimates rare words and would scan the whole table for the first hits.
 */
const byIndex = statement({
  name: "use-search-index",
  text: "SELECT set_config('enable_seqscan', $1, true) AS seqscan, set_config('jit', 'off', true) AS jit",
});

const horizon = composed({
  name: "messages-beyond",
  compose: horizonStatement,
  examples: horizonExamples,
});

/** Returns the sides on which the path continues. */
async function continuingSides(
  sql: Sql,
  search: Search,
  path: Path,
  sides: readonly Side[],
  steps: (side: Side) => number,
): Promise<Side[]> {
  const rows = await horizon(sql, search, path, sides, steps);
  return sides.filter((_, i) => rows.some(({ side }) => side === i));
}

/** Returns the ids that are on this side. */
function onSide({ compare, bound }: Side, ids: readonly number[]): number[] {
  return ids.filter((id) => (compare === "<" ? id < bound : id >= bound));
}
