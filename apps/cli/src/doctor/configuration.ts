import { clientAddress, type Environment } from "@carillon/kit";
import { outgoingConfig } from "@carillon/outgoing";
import { pushConfig } from "@carillon/push";

import { type Finding, failed, ok, warning } from "./finding.ts";

/**
 * Checks combinations of variables, and values that the check of the syntax does not cover.
 * @param proxies names of the variables for proxies that are set
 */
export function examineConfiguration(env: Environment, proxies: readonly string[]): Finding[] {
  const findings = [
    attempt("push", () =>
      pushConfig(env) ? ok("push", `the bouncer at ${env.PUSH_BOUNCER_URL}`) : ok("push", "none"),
    ),
    attempt("TRUSTED_PROXIES", () => {
      clientAddress(env);
      return ok("TRUSTED_PROXIES", env.TRUSTED_PROXIES ?? "none");
    }),
    attempt("OUTGOING_ALLOWED_NETWORKS", () => examineCalls(env)),
    ...(proxies.length === 0
      ? []
      : [warning("proxies", `${proxies.join(", ")} is not read: endpoints are called directly`)]),
    env.DEVELOPMENT
      ? warning("DEVELOPMENT", "true: dev_fetch_api_key gives API keys without a password")
      : ok("DEVELOPMENT", "off"),
  ];
  return [ok("configuration", "variables are valid"), ...findings];
}

/** The address at which most cloud providers offer credentials to their virtual machines. */
const metadataAddress = "169.254.169.254";

/** Examines the variables for calls of outgoing webhooks. @throws StartupError for a wrong list of networks */
function examineCalls(env: Environment): Finding {
  const what = "OUTGOING_ALLOWED_NETWORKS";
  const { rules, timeoutMs } = outgoingConfig(env);
  const limit = `calls of endpoints end after ${timeoutMs / 1_000} s`;
  const networks = env.OUTGOING_ALLOWED_NETWORKS;
  if (networks === undefined) return ok(what, `none: public addresses only; ${limit}`);
  return rules.allows(metadataAddress)
    ? warning(
        what,
        `${networks}: includes ${metadataAddress}, where members who create bots may read credentials of the host`,
      )
    : ok(what, `${networks}; ${limit}`);
}

function attempt(what: string, check: () => Finding): Finding {
  try {
    return check();
  } catch (error) {
    return failed(what, (error as Error).message);
  }
}
