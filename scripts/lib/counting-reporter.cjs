const { Spec } = require("mocha").reporters;

/** Mocha's own report, and as the last line how many tests passed, failed and were skipped. */
module.exports = class CountingReporter extends Spec {
  done(failures, callback) {
    const { passes, pending } = this.stats;
    console.log(`${passes} passed, ${failures} failed, ${pending} skipped`);
    callback(failures);
  }
};
