import { errors, listBots } from "@carillon/contract";
import { listOwnBots } from "@carillon/domain";
import { guestRole } from "@carillon/model";
import { handle } from "../../services.ts";

export default handle(listBots, async ({ actor, services }) => {
  if (actor.role === guestRole) throw errors.badRequest("Guests cannot do this");
  return { bots: await listOwnBots(services.db, services.site, actor) };
});
