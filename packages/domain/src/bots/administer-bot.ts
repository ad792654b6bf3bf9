import { errors } from "@carillon/contract";

import { isOrganizationAdministrator } from "../permissions/administrators.ts";
import type { Account } from "../users/account.ts";
import { checkPowerfulBot } from "../users/administration.ts";

/**
 * Whether this is a bot that the actor may administer: its own, and for administrators any (users.md §5).
 * @throws ApiError `BAD_REQUEST` also where there is none; `UNAUTHORIZED_PRINCIPAL`
 */
export function checkAdministersBot<Bot extends Account>(
  actor: Account,
  bot: Bot | undefined,
): asserts bot is Bot {
  if (!bot?.isBot) throw errors.badRequest("There is no such bot");
  if (bot.botOwnerId !== actor.id && !isOrganizationAdministrator(actor))
    throw errors.badRequest("Only the bot's owner and administrators can do this");
  checkPowerfulBot(actor, bot);
}
