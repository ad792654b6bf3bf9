import type { RateRule } from "./sliding-window.ts";

/**
 * Rate rules by kind: requests of an account, requests of an address without credentials, password attempts, reads of
 * files of an account or an address, requests of an address without credentials that may send a mail, password resets
 * of an e-mail address, and invitations of an organization.
 */
export interface RateRules {
  readonly user: readonly RateRule[];
  readonly ip: readonly RateRule[];
  readonly login: readonly RateRule[];
  readonly files: readonly RateRule[];
  readonly mail: readonly RateRule[];
  readonly reset: readonly RateRule[];
  readonly invites: readonly RateRule[];
}

const defaults: RateRules = {
  user: [{ seconds: 60, requests: 200 }],
  ip: [{ seconds: 60, requests: 100 }],
  login: [{ seconds: 1_800, requests: 5 }],
  files: [{ seconds: 60, requests: 1_200 }],
  mail: [{ seconds: 86_400, requests: 5 }],
  reset: [
    { seconds: 3_600, requests: 2 },
    { seconds: 86_400, requests: 5 },
  ],
  invites: [{ seconds: 86_400, requests: 3_000 }],
};

/** One kind with its rules. */
const kindWithRules =
  /^(user|ip|login|files|mail|reset|invites)=([1-9]\d{0,5}:[1-9]\d{0,8}(?:,[1-9]\d{0,5}:[1-9]\d{0,8}){0,4})$/;

/**
 * Parses rules like `user=60:200,3600:5000;ip=60:100` (seconds:requests). A missing kind has its default rules.
 * @returns undefined for `off`
 * @throws Error for any other text
 */
export function parseRateRules(text: string | undefined): RateRules | undefined {
  if (text === undefined) return defaults;
  if (text === "off") return undefined;
  const rules: { -readonly [Kind in keyof RateRules]?: readonly RateRule[] } = {};
  for (const part of text.split(";")) {
    const [, kind, pairs = ""] = kindWithRules.exec(part) ?? [];
    if (kind === undefined || rules[kind as keyof RateRules])
      throw new Error(`invalid rate rules: ${part}`);
    rules[kind as keyof RateRules] = pairs.split(",").map((pair) => {
      const [seconds = 0, requests = 0] = pair.split(":").map(Number);
      return { seconds, requests };
    });
  }
  return { ...defaults, ...rules };
}
