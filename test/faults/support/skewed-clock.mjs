// Loaded before a process: its clock is wrong by CLOCK_SKEW_MS milliseconds from the start, as that of a machine
// without time service.
const skew = Number(process.env.CLOCK_SKEW_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + skew);
    else super(...given);
  }
  static now() {
    return RealDate.now() + skew;
  }
};
