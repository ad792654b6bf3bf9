import type { NoticePart } from "@carillon/markdown";
import type { Settled } from "./question.ts";

/** A question back, with numbered choices. */
export interface Asking {
  readonly kind: "asking";
  readonly question: NoticePart;
  readonly choices: ReadonlyArray<{
    readonly shown: NoticePart;
    /** What the command knows when it is chosen. */
    readonly settled: Settled;
  }>;
}

/** Whether a step of a command asks back. */
export function isAsking(result: object): result is Asking {
  return "kind" in result && result.kind === "asking";
}
