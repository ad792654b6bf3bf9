import { reorderProfileFields as operation } from "@carillon/contract";
import { reorderProfileFields } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, input, actor }) =>
  reorderProfileFields(tx, actor, input.order),
);
