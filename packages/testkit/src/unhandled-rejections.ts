import { inspect } from "node:util";

const rejections = new Map<Promise<unknown>, unknown>();
const onRejection = (reason: unknown, promise: Promise<unknown>) =>
  void rejections.set(promise, reason);
/** Some tests read a refusal later than it occurs. */
const onHandled = (promise: Promise<unknown>) => void rejections.delete(promise);

/**
 * Root hooks of mocha: a rejected promise that is not handled by the end of its test fails the test, and skips the rest of the
 * file. mocha 12 ignores such rejections, but Node ends each process of Carillon because of one.
 */
export const mochaHooks = {
  beforeAll(): void {
    process.on("unhandledRejection", onRejection);
    process.on("rejectionHandled", onHandled);
  },
  afterEach: throwRejection,
  afterAll(): void {
    process.off("unhandledRejection", onRejection);
    process.off("rejectionHandled", onHandled);
    throwRejection();
  },
};

function throwRejection(): void {
  const [reason] = rejections.values();
  if (rejections.size === 0) return;
  rejections.clear();
  // The stack is part of the message, because mocha's parallel mode loses the cause of an error.
  throw new Error(`A rejected promise was not handled: ${inspect(reason)}`);
}
