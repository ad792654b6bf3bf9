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

/**
 * Admits or refuses the actor, by the operation's `access`.
 * @throws ApiError with the operation's `accessError` when it names one
 */
export function checkAccess(operation: Operation, actor: Actor): void {
  if (operation.access === "account" || operation.access === "anyone") return;
  const gate = gates[operation.access];
  if (gate.admits(actor)) return;
  const refusal = gate.refusal();
  const code = operation.accessError;
  throw code === undefined ? refusal : new ApiError(code, refusal.message);
}
