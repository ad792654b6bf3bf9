import { createLogger, readEnvironment, runMain, Shutdown, startTracing } from "@carillon/kit";

import { startGateway } from "./start-gateway.ts";

await runMain(async () => {
  const env = readEnvironment();
  const log = createLogger("gateway", { level: env.LOG_LEVEL });
  const shutdown = new Shutdown(log);
  shutdown.onSignals({ endWithParent: true });
  await startTracing("gateway", env, log, shutdown);
  await startGateway(env, log, shutdown);
});
