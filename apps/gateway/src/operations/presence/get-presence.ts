import { getPresence } from "@carillon/contract";
import { readPresence } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getPresence, async ({ sql, path, actor }) => ({
  presence: await readPresence(sql, actor, path.user_id_or_email),
}));
