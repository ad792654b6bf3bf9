import { type Site, secretsOf } from "@carillon/model";

import { testRules } from "./endpoint.ts";

/** The key that encrypts API keys in the tests' databases, also in spawned processes. */
export const testSecretKey = "carillon tests seal their API keys with this";

const secrets = secretsOf(testSecretKey);

/** The installation that the tests use. */
export function testSite(overrides: Partial<Site> = {}): Site {
  return {
    url: "http://carillon.test",
    secrets,
    development: false,
    pushConfigured: false,
    uploads: { maxFileSize: 100 * 1024 ** 2, quota: undefined },
    callable: testRules,
    ...overrides,
  };
}
