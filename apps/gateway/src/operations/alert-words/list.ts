import { listAlertWords } from "@carillon/contract";
import { listAlertWords as list } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listAlertWords, async ({ sql, actor }) => ({
  alert_words: await list(sql, actor),
}));
