import { createLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";

import { type Finding, found, ok, warning } from "./finding.ts";

/** Whether Redis answers, is one that we run on, and keeps what it is given. */
export function examineRedis(redisUrl: string): Promise<Finding[]> {
  return found("Redis", async () => {
    const warnings: string[] = [];
    const log = createLogger("doctor", {
      level: "warn",
      destination: {
        write: (line) => void warnings.push((JSON.parse(line) as { msg: string }).msg),
      },
    });
    // With Redis it looks, and makes nothing.
    await prepareQueues({ databaseUrl: "postgresql://unused.invalid/x", redisUrl, log });
    return warnings.length > 0
      ? warnings.map((text) => warning("Redis", text))
      : [ok("Redis", "it keeps what it is given")];
  });
}
