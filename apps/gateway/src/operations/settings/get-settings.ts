import { getSettings } from "@carillon/contract";
import { readOwnSettings } from "@carillon/domain";

import { handle } from "../../services.ts";

export default handle(getSettings, async ({ actor, services: { db } }) => ({
  user_settings: await readOwnSettings(db, actor),
}));
