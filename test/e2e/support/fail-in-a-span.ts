import { createLogger, readEnvironment, Shutdown, startTracing, traced } from "@carillon/kit";

// Records a span of work that fails, with all that BullMQ records of a failed job. The argument is the error's message.
const [, , message = ""] = process.argv;
const log = createLogger("test");
const shutdown = new Shutdown(log);
await startTracing("test", readEnvironment(), log, shutdown);
const error = new TypeError(message);
await traced({ name: "failing", kind: "server", attributes: {} }, async (span) => {
  span?.recordException(error);
  span?.addEvent("job failed", { "bullmq.job.failed.reason": message });
  span?.setStatus({ code: 2, message });
  throw error;
}).catch(() => undefined);
await shutdown.run();
process.exit(0);
