import { deleteProfileField as operation } from "@carillon/contract";
import { deleteProfileField } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, path, actor }) =>
  deleteProfileField(tx, actor, path.field_id),
);
