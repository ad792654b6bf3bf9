import * as contract from "@carillon/contract";
import { addAlertWords, listAlertWords, removeAlertWords } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listAlertWords, async ({ sql, actor }) => ({
    alert_words: await listAlertWords(sql, actor),
  })),

  handle.changes(contract.addAlertWords, async ({ tx, input, actor }) => ({
    alert_words: await addAlertWords(tx, actor, input.alert_words),
  })),

  handle.changes(contract.removeAlertWords, async ({ tx, input, actor }) => ({
    alert_words: await removeAlertWords(tx, actor, input.alert_words),
  })),
];
