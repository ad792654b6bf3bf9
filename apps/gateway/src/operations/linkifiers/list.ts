import { listLinkifiers as operation } from "@carillon/contract";
import { listLinkifiers } from "@carillon/model";
import { handle } from "../../handle.ts";

export default handle.reads(operation, async ({ sql, actor }) => ({
  linkifiers: await listLinkifiers(sql, actor.realmId),
}));
