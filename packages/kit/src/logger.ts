import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";

import { loggedError } from "./logged-error.ts";

/** JSON lines on standard output, one an event; secrets are cut out by name, wherever they lie. */
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

const cut = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * A logger for one process.
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
      redact: { paths: cut, censor: "[cut]" },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    options.destination ?? pino.destination({ sync: false }),
  );
}

/** A logger that writes nothing, for tests and tools. */
export const silentLogger: Logger = pino({ level: "silent" });
