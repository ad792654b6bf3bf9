import { withServices } from "./services.mjs";

/**
 * The command that runs a suite which is no part of `npm test`, with the services of tests: all of its files, or those
 * that are given. Mocha's options go before.
 * @param {string} folder below `test`
 * @param {readonly string[]} [given] what stands after `--`
 */
export function suite(folder, given = process.argv.slice(2)) {
  const names = given.some((argument) => !argument.startsWith("-"));
  return withServices("test", [
    process.execPath,
    "node_modules/mocha/bin/mocha.js",
    "--reporter=./scripts/lib/counting-reporter.cjs",
    ...given,
    ...(names ? [] : [`test/${folder}/**/*.test.ts`]),
  ]);
}
