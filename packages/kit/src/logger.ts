import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";

import { loggedError } from "./logged-error.ts";
import { traceFields } from "./tracing.ts";

/** Writes one JSON line per event to standard output; redacts secrets by field name, at any of three levels. */
export type Logger = PinoLogger;

const secrets = [
  "authorization",
  "password",
  "api_key",
  "apiKey",
  "secretKey",
  "key",
  "token",
  "content",
];

const redacted = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * Creates the logger of one process.
 * @param process the role that writes, such as `gateway`
 * @param destination where the lines go; standard output unless given
 */
export function createLogger(
  process: string,
  options: { level?: string; destination?: DestinationStream } = {},
): Logger {
  return pino(
    {
      base: { process, pid: globalThis.process.pid },
      level: options.level ?? "info",
      serializers: { err: loggedError },
      redact: { paths: redacted, censor: "[cut]" },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceFields,
    },
    options.destination ?? pino.destination({ sync: false }),
  );
}

/** A logger that writes nothing, for tests and tools. */
export const silentLogger: Logger = pino({ level: "silent" });
