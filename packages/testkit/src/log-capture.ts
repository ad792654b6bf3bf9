import { createLogger, type Logger } from "@carillon/kit";

/** A line of the log, parsed. */
export interface LogLine {
  /** As pino counts: 10 trace, 20 debug, 30 info, 40 warn, 50 error */
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface LogCapture {
  readonly log: Logger;
  /** The log so far; always the same array, so that tests can empty it. */
  readonly lines: LogLine[];
  /** The raw lines, to search for secrets. */
  readonly text: () => string;
}

/** Creates a logger that keeps its lines in memory. */
export function captureLog(level = "trace"): LogCapture {
  const lines: LogLine[] = [];
  let text = "";
  const log = createLogger("test", {
    level,
    destination: {
      write(line) {
        text += line;
        lines.push(JSON.parse(line) as LogLine);
      },
    },
  });
  return { log, lines, text: () => text };
}
