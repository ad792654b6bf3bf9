import { getStatus } from "@carillon/contract";
import { readStatus } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getStatus, async ({ sql, path, actor }) => ({
  status: await readStatus(sql, actor, path.user_id),
}));
