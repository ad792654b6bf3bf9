import { deleteBotStorage } from "@carillon/contract";
import { deleteStorage } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(deleteBotStorage, ({ tx, input, actor }) =>
  deleteStorage(tx, actor, input.keys),
);
