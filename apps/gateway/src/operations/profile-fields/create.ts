import { createProfileField as operation } from "@carillon/contract";
import { createProfileField } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { fieldChanges } from "./field-changes.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => ({
  id: await createProfileField(tx, actor, input.field_type, fieldChanges(input)),
}));
