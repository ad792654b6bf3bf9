import { removeLegacyTokensUpTo } from "@carillon/domain";
import { forgetLegacyTokens } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Removes the older push tokens of an account that has another API key. */
export default intentProcessor(forgetLegacyTokens, (tx, { payload: { userId, upTo } }) =>
  removeLegacyTokensUpTo(tx, userId, upTo),
);
