import { isTracing } from "@carillon/kit";
import type { Telemetry } from "bullmq";

/**
 * Returns the option with which BullMQ records a span for each job that it adds, and for each run of a job. A run
 * belongs to the trace that added the job. Undefined unless this process records traces.
 */
export async function queueTelemetry(): Promise<Telemetry | undefined> {
  if (!isTracing()) return undefined;
  const { BullMQOtel } = await import("./bullmq-otel.ts");
  return new BullMQOtel({ tracerName: "carillon" });
}
