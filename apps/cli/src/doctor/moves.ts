import type { Sql } from "@carillon/db";
import { listUnfinishedMoves, noSubdomain } from "@carillon/domain";

import { type Finding, ok, warning } from "./finding.ts";

/** Warns of active organizations that have been read-only for more than an hour: their export or move is unfinished. */
export async function examineMoves(sql: Sql): Promise<Finding[]> {
  const moves = await listUnfinishedMoves(sql);
  if (moves.length === 0) return [ok("moves", "no organization waits for the end of its move")];
  return moves.map(({ subdomain, since, hasFinalExport }) => {
    const label = subdomain || noSubdomain;
    const next = hasFinalExport
      ? "if its final export was imported, run carillon organization redirect, or deactivate between cells; else run the export again, or reopen --not-imported"
      : "run its export --final again, or open it with carillon organization reopen";
    return warning(
      "moves",
      `the organization ${label} has been read-only since ${since.toISOString()}: ${next}`,
    );
  });
}
