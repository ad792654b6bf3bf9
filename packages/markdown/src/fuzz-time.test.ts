import {
  changedSlowText,
  oneOf,
  sequence,
  type SlowText,
  slowText,
  someSlowText,
} from "@carillon/testkit";
import { expect } from "chai";
import { countSteps } from "./test-support/counted-steps.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";
import { RenderLimitError } from "./rendering.ts";
import { lookups } from "./test-support/sample-organization.ts";

/** Number of cases; `CARILLON_FUZZ_CASES=100000` runs a longer search, `CARILLON_FUZZ_SEED` other cases. */
const cases = Number(process.env["CARILLON_FUZZ_CASES"] ?? 60);
const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 496);

/** The length of the longest message. */
const longest = 10_000;
/** Texts from which the next ones are mutated. */
const kept = 8;
/** Limit of steps for each code point; the maximum found by long searches is 254. */
const most = 400;

function steps(text: string): number {
  return countSteps(() => {
    try {
      renderMessage(parseMessage(text, { translateEmoticons: true }), lookups);
    } catch (error) {
      if (!(error instanceof RenderLimitError)) throw error;
    }
  });
}

describe("The number of steps for the longest text", () => {
  it("is bounded under a search for expensive texts", function () {
    this.timeout(60_000 + cases * 500);
    steps("**warm** :smile: 👍 http://a.org $$x$$");
    const random = sequence(seed);
    const worst: { of: SlowText; took: number }[] = [];
    for (let n = 0; n < cases; n++) {
      const begun = worst.length === kept && random() < 0.6;
      const of = begun ? changedSlowText(random, oneOf(random, worst).of) : someSlowText(random);
      const took = steps(slowText(of, longest));
      expect(took, `seed ${seed}: ${JSON.stringify(of)}`).to.be.at.most(most * longest);
      // Keeps one of several similar texts, so that texts that are slow for another reason remain.
      if (!worst.some((known) => known.took === took)) worst.push({ of, took });
      worst.sort((a, b) => b.took - a.took).splice(kept);
    }
  });
});
