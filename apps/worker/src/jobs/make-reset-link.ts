import { makeLinkOfReset } from "@carillon/domain";
import { makeResetLink } from "@carillon/jobs";

import { callProcessor } from "../intent-processor.ts";

/** Makes the link of a requested password reset. */
export default callProcessor(
  makeResetLink,
  async (_db, { realmId, payload }, { site }) =>
    (tx) =>
      makeLinkOfReset(tx, site, realmId, payload),
);
