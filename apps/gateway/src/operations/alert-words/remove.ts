import { removeAlertWords } from "@carillon/contract";
import { removeAlertWords as remove } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(removeAlertWords, async ({ tx, input, actor }) => ({
  alert_words: await remove(tx, actor, input.alert_words),
}));
