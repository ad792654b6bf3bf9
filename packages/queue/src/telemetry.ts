import { isTracing } from "@carillon/kit";
import type { Telemetry } from "bullmq";

/**
 * Returns what makes BullMQ record spans: of each job that is added, and of each run, which belongs to the trace that
 * added the job. Undefined unless this process records traces.
 */
export async function queueTelemetry(): Promise<Telemetry | undefined> {
  if (!isTracing()) return undefined;
  const { BullMQOtel } = await import("./bullmq-otel.ts");
  return new BullMQOtel({ tracerName: "carillon" });
}
