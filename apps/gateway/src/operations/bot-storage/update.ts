import { updateBotStorage } from "@carillon/contract";
import { writeStorage } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(updateBotStorage, ({ tx, input, actor, services }) =>
  writeStorage(tx, actor, input.storage, services.botStorageLimit),
);
