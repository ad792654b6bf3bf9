import { createLogger, readEnvironment, runMain, Shutdown } from "@carillon/kit";
import { startBouncer } from "./start-bouncer.ts";

await runMain(async () => {
  const env = readEnvironment();
  const log = createLogger("bouncer", { level: env.LOG_LEVEL });
  const shutdown = new Shutdown(log);
  shutdown.onSignals({ endWithParent: true });
  await startBouncer(env, log, shutdown);
});
