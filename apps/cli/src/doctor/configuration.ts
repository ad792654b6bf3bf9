import { clientAddress, type Environment } from "@carillon/kit";
import { pushConfig } from "@carillon/push";

import { type Finding, failed, ok, warning } from "./finding.ts";

/** What the variables say, beyond each being one that can be read. */
export function examineConfiguration(env: Environment): Finding[] {
  const findings = [
    tried("push", () =>
      pushConfig(env) ? ok("push", `the bouncer at ${env.PUSH_BOUNCER_URL}`) : ok("push", "none"),
    ),
    tried("TRUSTED_PROXIES", () => {
      clientAddress(env);
      return ok("TRUSTED_PROXIES", env.TRUSTED_PROXIES ?? "none: no proxy is believed");
    }),
    env.DEVELOPMENT
      ? warning("DEVELOPMENT", "true: API keys are handed out without a password")
      : ok("DEVELOPMENT", "off"),
  ];
  return [ok("configuration", "the variables can be read"), ...findings];
}

function tried(what: string, look: () => Finding): Finding {
  try {
    return look();
  } catch (error) {
    return failed(what, (error as Error).message);
  }
}
