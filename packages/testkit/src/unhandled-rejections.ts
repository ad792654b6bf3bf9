import { inspect } from "node:util";

const rejections: unknown[] = [];
const listener = (reason: unknown) => void rejections.push(reason);

/**
 * Root hooks of mocha: a rejected promise that nothing handles fails the test during which it is rejected, and skips the rest
 * of the file. mocha 12 ignores such rejections, but Node ends each process of Carillon because of one.
 */
export const mochaHooks = {
  beforeAll(): void {
    process.on("unhandledRejection", listener);
  },
  afterEach: throwRejection,
  afterAll(): void {
    process.off("unhandledRejection", listener);
    throwRejection();
  },
};

function throwRejection(): void {
  const [first] = rejections.splice(0);
  // The stack is part of the message, because mocha's parallel mode loses the cause of an error.
  if (first !== undefined) throw new Error(`A rejected promise was not handled: ${inspect(first)}`);
}
