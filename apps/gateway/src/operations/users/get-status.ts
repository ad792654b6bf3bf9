import { getStatus } from "@carillon/contract";
import { readStatus } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getStatus, async ({ path, actor, services }) => ({
  status: await readStatus(services.db, actor, path.user_id),
}));
