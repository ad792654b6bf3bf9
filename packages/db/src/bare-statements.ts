/**
 * Types that may be run in addition to declared statements: none in production. `packages/testkit/src/bare-texts.ts` adds
 * plain texts for tests and benches.
 */
export interface BareStatements {}
