// JavaScript, so that it needs no compilation and is the same file for tests, builds and containers. `password-strength.ts`
// starts it in a thread, and ends the thread when no password has come for a while.
import { parentPort } from "node:worker_threads";
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import * as common from "@zxcvbn-ts/language-common";
import * as english from "@zxcvbn-ts/language-en";

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
});

/** Some 49,000 passwords that leaked most often, in lower case. */
const leaked = new Set(common.dictionary["passwords-common"]);

/** UTF-16 units that are estimated: normalizing may lengthen a password, and the time grows with the square of the length. */
const maxLength = 100;

parentPort?.on("message", (/** @type {string} */ password) => {
  // Passwords are hashed in this form.
  const normalized = password.normalize("NFKC");
  const isCommon = leaked.has(normalized.toLowerCase());
  const { guesses } = estimator.check(normalized.slice(0, maxLength));
  parentPort?.postMessage({ isCommon, guesses }, []);
});
