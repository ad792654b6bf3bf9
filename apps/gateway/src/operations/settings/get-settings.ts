import { getSettings } from "@carillon/contract";
import { readOwnSettings } from "@carillon/domain";

import { handle } from "../../handle.ts";

export default handle.reads(getSettings, async ({ sql, actor }) => ({
  user_settings: await readOwnSettings(sql, actor),
}));
