import type { NoticePart } from "@carillon/markdown";
import type { Decisions } from "./question.ts";

/** A question to the person about an ambiguous command, with numbered choices. */
export interface Clarification {
  readonly kind: "clarification";
  readonly question: NoticePart;
  readonly choices: ReadonlyArray<{
    readonly shown: NoticePart;
    /** Everything that is decided about the command once this choice is made. */
    readonly settled: Decisions;
  }>;
}

/** Whether the result of a step is a question to the person. */
export function isClarification(result: object): result is Clarification {
  return "kind" in result && result.kind === "clarification";
}
