import type { RateRule } from "./sliding-window.ts";

/** Rules by what is counted: requests of an account, of an address without credentials, tries of a password. */
export interface RateRules {
  readonly user: readonly RateRule[];
  readonly ip: readonly RateRule[];
  readonly login: readonly RateRule[];
}

const defaults: RateRules = {
  user: [{ seconds: 60, requests: 200 }],
  ip: [{ seconds: 60, requests: 100 }],
  login: [{ seconds: 1_800, requests: 5 }],
};

const list = /^(user|ip|login)=([1-9]\d{0,5}:[1-9]\d{0,8}(?:,[1-9]\d{0,5}:[1-9]\d{0,8}){0,4})$/;

/**
 * The rules of a text like `user=60:200,3600:5000;ip=60:100` (seconds:requests); what it does not name has the
 * defaults. Undefined for `off`.
 * @throws Error when it is none of these
 */
export function parseRateRules(text: string | undefined): RateRules | undefined {
  if (text === undefined) return defaults;
  if (text === "off") return undefined;
  const rules: { -readonly [Kind in keyof RateRules]?: readonly RateRule[] } = {};
  for (const part of text.split(";")) {
    const [, kind, pairs = ""] = list.exec(part) ?? [];
    if (kind === undefined || rules[kind as keyof RateRules])
      throw new Error(`not a list: ${part}`);
    rules[kind as keyof RateRules] = pairs.split(",").map((pair) => {
      const [seconds = 0, requests = 0] = pair.split(":").map(Number);
      return { seconds, requests };
    });
  }
  return { ...defaults, ...rules };
}
