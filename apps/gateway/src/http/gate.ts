import {
  errors,
  ApiError,
  type Access,
  type Operation,
  isAtLeast,
  isGuest,
  isOwner,
  roles,
} from "@carillon/contract";

import type { Actor } from "./actor.ts";

/** Which actors an access level admits, and the refusal for others (users.md §1). */
const gates: Record<
  Exclude<Access, "anyone" | "account">,
  { admits: (actor: Actor) => boolean; refusal: () => ApiError }
> = {
  human: {
    admits: (actor) => !actor.isBot,
    refusal: () => errors.badRequest("Bots cannot do this"),
  },
  bot: {
    admits: (actor) => actor.isBot,
    refusal: () => errors.badRequest("Only bots can do this"),
  },
  "non-guest": {
    admits: (actor) => !isGuest(actor),
    refusal: () => errors.badRequest("Guests cannot do this"),
  },
  administrator: {
    admits: (actor) => isAtLeast(actor, roles.administrator),
    refusal: () =>
      errors.unauthorizedPrincipal("Only administrators of the organization can do this"),
  },
  owner: {
    admits: isOwner,
    refusal: () => errors.unauthorizedPrincipal("Only owners of the organization can do this"),
  },
};

/** Operations other than GET that a read-only organization allows. Event queues belong to the client, not the organization. */
const reading: ReadonlySet<string> = new Set(["register", "delete-event-queue", "render-message"]);

function isReading({ id, method }: Operation): boolean {
  return method === "GET" || method === "HEAD" || reading.has(id);
}

/**
 * Returns the error if the actor may not use the operation, and undefined otherwise. Refuses operations that change
 * something if the organization is read-only, and actors that the operation's `access` does not admit. The operation may
 * name the error for the latter (`accessError`).
 */
export function accessRefusal(operation: Operation, actor: Actor): ApiError | undefined {
  if (actor.organizationReadOnly && !isReading(operation)) return errors.organizationReadOnly();
  if (operation.access === "account" || operation.access === "anyone") return undefined;
  const gate = gates[operation.access];
  if (gate.admits(actor)) return undefined;
  const refusal = gate.refusal();
  const code = operation.accessError;
  return code === undefined ? refusal : new ApiError(code, refusal.message);
}
