import { errors, listBots, isGuest } from "@carillon/contract";
import { listOwnBots } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(listBots, async ({ actor, services }) => {
  if (isGuest(actor)) throw errors.badRequest("Guests cannot do this");
  return { bots: await listOwnBots(services.db, services.site, actor) };
});
