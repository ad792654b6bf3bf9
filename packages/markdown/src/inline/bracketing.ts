/** Pairs of backtick runs and of brackets, found in one pass. */
export interface Bracketing {
  /** Start of a backtick run that opens code → start of the run that closes it. */
  readonly backticks: ReadonlyMap<number, number>;
  /** Position of `[` → position of its `]`. */
  readonly brackets: ReadonlyMap<number, number>;
}

const BACKTICK = 0x60;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** Finds the pairs of `source`. Linear in its length. */
export function findBracketing(source: string): Bracketing {
  const backticks = pairBackticks(source);
  const brackets = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === OPEN) open.push(at);
    else if (code === CLOSE) {
      const start = open.pop();
      if (start !== undefined) brackets.set(start, at);
    } else if (code === BACKTICK) {
      const length = runLength(source, at, BACKTICK);
      const close = backticks.get(at);
      at = (close ?? at) + length - 1;
    }
  }
  return { backticks, brackets };
}

/** Returns the length of the run of one character at `at`. */
export function runLength(source: string, at: number, code: number): number {
  let end = at + 1;
  while (end < source.length && source.charCodeAt(end) === code) end++;
  return end - at;
}

function pairBackticks(source: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const runs: { start: number; length: number }[] = [];
  for (let at = source.indexOf("`"); at >= 0;) {
    const length = runLength(source, at, BACKTICK);
    runs.push({ start: at, length });
    at = source.indexOf("`", at + length);
  }
  const nextOfLength = new Map<number, number>();
  for (const run of runs.reverse()) {
    const close = nextOfLength.get(run.length);
    if (close !== undefined) pairs.set(run.start, close);
    nextOfLength.set(run.length, run.start);
  }
  return pairs;
}
