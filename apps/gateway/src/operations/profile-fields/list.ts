import { listProfileFields as operation } from "@carillon/contract";
import { listProfileFields } from "@carillon/model";
import { handle } from "../../handle.ts";

export default handle.reads(operation, async ({ sql, actor }) => ({
  custom_fields: await listProfileFields(sql, actor.realmId),
}));
