import { type Sql, statement } from "@carillon/db";

import { pending } from "./pending.ts";

const alarms = statement({
  name: "forget-alarms",
  text: `UPDATE scheduled_messages s SET alarmed_at = NULL WHERE ${pending("s")} AND alarmed_at IS NOT NULL`,
  row: {},
});

const intents = statement({
  name: "forget-enqueued-intents",
  text: "UPDATE job_intent SET enqueued_at = NULL WHERE state = 'pending' AND enqueued_at IS NOT NULL",
  row: {},
});

/** After a restore: what queues were told counts for nothing, since they are others. The relay tells them anew. */
export async function forgetAlarms(sql: Sql): Promise<void> {
  await sql.rows(alarms, []);
  await sql.rows(intents, []);
}
