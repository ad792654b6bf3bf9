import { removeLegacyTokensUpTo } from "@carillon/domain";
import { forgetLegacyTokens } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Removes legacy push tokens of an account whose API key has changed. */
export default intentProcessor(forgetLegacyTokens, (tx, { payload: { userId, upTo } }) =>
  removeLegacyTokensUpTo(tx, userId, upTo),
);
