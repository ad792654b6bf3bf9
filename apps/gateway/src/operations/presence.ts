import * as contract from "@carillon/contract";
import { readPresence, readPresences, recordPresence, usualHistoryLimit } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listPresences, async ({ sql, actor }) => {
    const { presences, server_timestamp } = await readPresences(sql, actor, {
      modern: false,
      historyLimit: usualHistoryLimit,
    });
    return { presences, server_timestamp };
  }),

  handle.reads(contract.getPresence, async ({ sql, path, actor }) => ({
    presence: await readPresence(sql, actor, path.user_id_or_email),
  })),

  handle.inSteps(contract.updatePresence, async ({ input, actor, services }) => {
    await services.db.transaction((tx) => recordPresence(tx, actor, input.status));
    if (input.ping_only) return {};
    const since = input.last_update_id;
    return readPresences(services.db, actor, {
      modern: input.slim_presence || since !== undefined,
      since,
      historyLimit: input.history_limit_days,
    });
  }),
];
