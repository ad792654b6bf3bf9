import { type Site, secretsOf } from "@carillon/model";

/** The key that seals API keys in the tests' databases, also for processes that a test spawns. */
export const testSecretKey = "carillon tests seal their API keys with this";

const secrets = secretsOf(testSecretKey);

/** The installation that the tests run in. */
export function testSite(overrides: Partial<Site> = {}): Site {
  return {
    url: "http://carillon.test",
    secrets,
    development: false,
    pushConfigured: false,
    ...overrides,
  };
}
