import { runEndInvitationsStep } from "@carillon/domain";
import { endInvitations } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Ends links that an account has made or that are for its address, a step at a time. */
export default intentProcessor(endInvitations, (tx, { id, realmId, payload }) =>
  runEndInvitationsStep(tx, realmId, id, payload),
);
