import { updateUserGroup as operation } from "@carillon/contract";
import { updateUserGroup } from "@carillon/domain";
import { handle } from "../../services.ts";
import { settingsOf } from "./setting-names.ts";

export default handle(operation, async ({ path, input, actor, services }) => {
  const { name, description, deactivated } = input;
  const changes = { name, description, deactivated, settings: settingsOf(input) };
  await services.db.transaction((tx) => updateUserGroup(tx, actor, path.user_group_id, changes));
});
