import { createLogger, readEnvironment, runMain, Shutdown } from "@carillon/kit";
import { startDashboard } from "./start-dashboard.ts";

await runMain(async () => {
  const env = readEnvironment();
  const log = createLogger("dashboard", { level: env.LOG_LEVEL });
  const shutdown = new Shutdown(log);
  shutdown.onSignals({ endWithParent: true });
  await startDashboard(env, log, shutdown);
});
