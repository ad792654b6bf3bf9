import { createLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";

import { type Finding, found, ok, warning } from "./finding.ts";

/** Checks Redis's version, eviction policy and persistence. */
export function examineRedis(redisUrl: string): Promise<Finding[]> {
  return found("Redis", async () => {
    const warnings: string[] = [];
    const log = createLogger("doctor", {
      level: "warn",
      destination: {
        write: (line) => void warnings.push((JSON.parse(line) as { msg: string }).msg),
      },
    });
    // With Redis it only checks; it creates nothing.
    await prepareQueues({ databaseUrl: "postgresql://unused.invalid/x", redisUrl, log });
    return warnings.length > 0
      ? warnings.map((text) => warning("Redis", text))
      : [ok("Redis", "answers and keeps its data")];
  });
}
