import { inSources } from "./in-sources.ts";

/** Fields of errors that name things of ours or of the system's, never what somebody wrote. */
const told = [
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

/** So many errors are told of a chain of causes. */
const mostCauses = 4;

/**
 * An error as the log has it: what it is and where it came from. Fields that are not known to be harmless are left out,
 * and so is what the message quotes of a value: PostgreSQL, Prisma and JSON.parse quote people's messages.
 */
export function loggedError(error: unknown, causes: number = mostCauses): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const message = loggedMessage(error);
  const fields = error as Error & Partial<Record<(typeof told)[number], unknown>>;
  const known = told.filter((name) => ["string", "number"].includes(typeof fields[name]));
  const { errors } = error as { errors?: unknown };
  const more = causes > 0;
  return {
    type: error.constructor.name,
    message,
    stack: `${error.name}: ${message}${inSources(frames(error))}`,
    ...Object.fromEntries(known.map((name) => [name, fields[name]])),
    ...(more && error.cause !== undefined ? { cause: loggedError(error.cause, causes - 1) } : {}),
    ...(more && Array.isArray(errors)
      ? { errors: errors.slice(0, mostCauses).map((one) => loggedError(one, causes - 1)) }
      : {}),
  };
}

function loggedMessage(error: Error): string {
  const { name, message } = error;
  // It prints the arguments of the call, then what is wrong with them.
  if (name.startsWith("PrismaClient")) return withoutValues(message.split("\n").at(-1) ?? "");
  return quotesValues(error) ? withoutValues(message) : message;
}

/** Class 22 of PostgreSQL is about a value; a query in a language of its own (42601) is one. */
function quotesValues(error: Error): boolean {
  const { code } = error as { code?: unknown };
  if (error instanceof SyntaxError) return true;
  return typeof code === "string" && /^(?:22...|42601)$/.test(code);
}

/** A value may have quotes itself: all from the first to the last is cut. */
function withoutValues(message: string): string {
  return message.replace(/".*"/s, '"[cut]"');
}

/** The lines of the stack below the message, which may have lines that look like them. */
function frames({ message, stack = "" }: Error): string {
  const at = stack.indexOf(message);
  const below = at < 0 ? stack : stack.slice(at + message.length);
  return /(?:\n {4}at .*)*$/.exec(below)?.[0] ?? "";
}
