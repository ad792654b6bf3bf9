import type { Operation } from "@carillon/contract";
import { StartupError } from "@carillon/kit";
import type { Handler } from "./handler.ts";

/**
 * Checks that every declared operation has exactly one handler, that every handler's operation is declared, and that
 * ids and routes are unique.
 * @returns the handlers in the order of the operations
 * @throws StartupError that lists all faults
 */
export function matchHandlers<Services>(
  operations: readonly Operation[],
  handlers: readonly Handler<Services>[],
): Handler<Services>[] {
  const problems: string[] = [];
  for (const id of repeated(operations.map((operation) => operation.id)))
    problems.push(`two operations are called ${id}`);
  for (const route of repeated(operations.map(routeOf)))
    problems.push(`two operations are at ${route}`);
  for (const id of repeated(handlers.map(({ operation }) => operation.id)))
    problems.push(`${id} has two handlers`);
  const waiting = new Map(handlers.map((handler) => [handler.operation, handler]));
  const matched: Handler<Services>[] = [];
  for (const operation of operations) {
    const handler = waiting.get(operation);
    if (handler) matched.push(handler);
    else problems.push(`${operation.id} has no handler`);
    waiting.delete(operation);
  }
  for (const { id } of waiting.keys())
    problems.push(`the operation ${id} of a handler is not declared`);
  if (problems.length > 0)
    throw new StartupError(`the operations are incomplete: ${problems.join("; ")}`);
  return matched;
}

/** Returns method and path, with path parameters by kind instead of name. */
function routeOf({ method, path, pathParams }: Operation): string {
  return `${method} ${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${pathParams[name]?.kind}}`)}`;
}

function repeated(names: readonly string[]): Set<string> {
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}
