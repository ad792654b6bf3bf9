/**
 * What may be run besides declared statements: nothing. Tests and benches may run bare texts, which
 * `packages/testkit/src/bare-texts.ts` adds here; the programs of production code do not see it.
 */
export interface BareStatements {}
