import { errors, listBots, isGuest } from "@carillon/contract";
import { listOwnBots } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listBots, async ({ sql, actor, services }) => {
  if (isGuest(actor)) throw errors.badRequest("Guests cannot do this");
  return { bots: await listOwnBots(sql, services.site, actor) };
});
