import { mapToSources } from "./map-to-sources.ts";

/** Fields of errors that hold names from our code or the system, never user content. */
const logged = [
  "code",
  "severity",
  "schema",
  "table",
  "column",
  "constraint",
  "routine",
  "errno",
  "syscall",
  "address",
  "port",
] as const;

/** Maximum number of errors logged from a chain of causes. */
const maxCauses = 4;

/**
 * Returns an error as the log stores it. Omits fields that are not known to be harmless, and values that messages
 * quote: PostgreSQL, Prisma and JSON.parse quote user content.
 */
export function loggedError(error: unknown, causes: number = maxCauses): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const message = loggedMessage(error);
  const fields = error as Error & Partial<Record<(typeof logged)[number], unknown>>;
  const known = logged.filter((name) => ["string", "number"].includes(typeof fields[name]));
  const { errors } = error as { errors?: unknown };
  const more = causes > 0;
  return {
    type: error.constructor.name,
    message,
    stack: `${error.name}: ${message}${mapToSources(frames(error))}`,
    ...Object.fromEntries(known.map((name) => [name, fields[name]])),
    ...(more && error.cause !== undefined ? { cause: loggedError(error.cause, causes - 1) } : {}),
    ...(more && Array.isArray(errors)
      ? { errors: errors.slice(0, maxCauses).map((one) => loggedError(one, causes - 1)) }
      : {}),
  };
}

function loggedMessage(error: Error): string {
  const { name, message } = error;
  // Prisma prints the arguments of the call first, and the problem in the last line.
  if (name.startsWith("PrismaClient")) return withoutValues(message.split("\n").at(-1) ?? "");
  return quotesValues(error) ? withoutValues(message) : message;
}

/** PostgreSQL's class 22 is about a value; so is a syntax error in a tsquery (42601). */
function quotesValues(error: Error): boolean {
  const { code } = error as { code?: unknown };
  if (error instanceof SyntaxError) return true;
  return typeof code === "string" && /^(?:22...|42601)$/.test(code);
}

/** A value may contain quotes: everything from the first to the last quote is cut. */
function withoutValues(message: string): string {
  return message.replace(/".*"/s, '"[cut]"');
}

/** Returns the stack lines below the message, which may contain lines that look like them. */
function frames({ message, stack = "" }: Error): string {
  const at = stack.indexOf(message);
  const below = at < 0 ? stack : stack.slice(at + message.length);
  return /(?:\n {4}at .*)*$/.exec(below)?.[0] ?? "";
}
