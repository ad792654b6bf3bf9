import { addAlertWords } from "@carillon/contract";
import { addAlertWords as add } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(addAlertWords, async ({ tx, input, actor }) => ({
  alert_words: await add(tx, actor, input.alert_words),
}));
