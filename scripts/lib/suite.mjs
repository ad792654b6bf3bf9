import { withServices } from "./services.mjs";

/**
 * Returns the command that runs a suite outside `npm test` with the tests' services: all of its files, or the given ones.
 * Mocha options come first.
 * @param {string} folder below `test`
 * @param {readonly string[]} [further] files elsewhere that belong to it
 * @param {readonly string[]} [given] the arguments after `--`
 */
export function suite(folder, further = [], given = process.argv.slice(2)) {
  const names = given.some((argument) => !argument.startsWith("-"));
  return withServices("test", [
    process.execPath,
    "node_modules/mocha/bin/mocha.js",
    "--reporter=./scripts/lib/counting-reporter.cjs",
    ...given,
    ...(names ? [] : [`test/${folder}/**/*.test.ts`, ...further]),
  ]);
}
