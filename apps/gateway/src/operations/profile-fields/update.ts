import { updateProfileField as operation } from "@carillon/contract";
import { updateProfileField } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { fieldChanges } from "./field-changes.ts";

export default handle.changes(operation, ({ tx, input, path, actor }) =>
  updateProfileField(tx, actor, path.field_id, fieldChanges(input)),
);
