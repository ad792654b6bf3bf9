import { createLogger, readEnvironment, runMain, Shutdown, startTracing } from "@carillon/kit";

import { startWorkerProcess } from "./start-worker.ts";

await runMain(async () => {
  const env = readEnvironment();
  const log = createLogger("worker", { level: env.LOG_LEVEL });
  const shutdown = new Shutdown(log);
  shutdown.onSignals({ endWithParent: true });
  await startTracing("worker", env, log, shutdown);
  await startWorkerProcess(env, log, shutdown);
});
