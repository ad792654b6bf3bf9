/**
 * Gives assertions without a message a constant one. Node.js otherwise reads the source of the call to quote it, and
 * parses the minified line that it is on: in a chunk of 300 kB that held the event loop for 14 s. undici has an
 * assertion that fails for status 000 of an answer, so any endpoint could do this to a worker.
 * @type {import("esbuild").Plugin}
 */
export const plainAssertions = {
  name: "plain assertions",
  setup(build) {
    build.onResolve({ filter: /^(node:)?assert$/ }, ({ namespace }) =>
      namespace === "plain-assertions"
        ? { path: "node:assert", external: true }
        : { path: "assert", namespace: "plain-assertions" },
    );
    build.onLoad({ filter: /.*/, namespace: "plain-assertions" }, () => ({ contents: assertions }));
  },
};

const assertions = `
const assert = require("node:assert");
const ok = (value, message = "Assertion failed") => assert(value, message);
module.exports = Object.assign((...args) => ok(...args), assert, { ok });
`;
