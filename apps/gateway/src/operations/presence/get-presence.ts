import { getPresence } from "@carillon/contract";
import { readPresence } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getPresence, async ({ path, actor, services }) => ({
  presence: await readPresence(services.db, actor, path.user_id_or_email),
}));
