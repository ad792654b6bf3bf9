import { type Account, checkPowerfulBot, isOrganizationAdministrator } from "@carillon/model";
import { errors } from "@carillon/contract";

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
