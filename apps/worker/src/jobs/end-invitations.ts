import { runEndInvitationsStep } from "@carillon/domain";
import { endInvitations } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Ends the invitation links that an account has made, and those for its address, in steps. */
export default intentProcessor(endInvitations, (tx, { id, realmId, payload }) =>
  runEndInvitationsStep(tx, realmId, id, payload),
);
