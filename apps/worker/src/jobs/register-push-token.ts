import { registerPushToken } from "@carillon/jobs";

import { callProcessor } from "../intent-processor.ts";

/** Nothing is registered yet: no push service can be configured. */
export default callProcessor(registerPushToken, async () => {
  throw new Error("this server cannot call a push bouncer yet");
});
