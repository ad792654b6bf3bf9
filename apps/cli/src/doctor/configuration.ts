import { clientAddress, type Environment } from "@carillon/kit";
import { pushConfig } from "@carillon/push";

import { type Finding, failed, ok, warning } from "./finding.ts";

/** Checks combinations of variables, and values that the check of the syntax does not cover. */
export function examineConfiguration(env: Environment): Finding[] {
  const findings = [
    attempt("push", () =>
      pushConfig(env) ? ok("push", `the bouncer at ${env.PUSH_BOUNCER_URL}`) : ok("push", "none"),
    ),
    attempt("TRUSTED_PROXIES", () => {
      clientAddress(env);
      return ok("TRUSTED_PROXIES", env.TRUSTED_PROXIES ?? "none");
    }),
    env.DEVELOPMENT
      ? warning("DEVELOPMENT", "true: dev_fetch_api_key gives API keys without a password")
      : ok("DEVELOPMENT", "off"),
  ];
  return [ok("configuration", "variables are valid"), ...findings];
}

function attempt(what: string, check: () => Finding): Finding {
  try {
    return check();
  } catch (error) {
    return failed(what, (error as Error).message);
  }
}
