import type { Environment } from "./environment.ts";
import type { Logger } from "./logger.ts";
import type { Shutdown } from "./shutdown.ts";
import { traceWith } from "./tracing.ts";

/** Order of the shutdown step: after the steps that may still record spans. */
const last = 5;
/** Milliseconds in which a collector may take the last spans of a process that ends. */
const flushMs = 2_000;

/**
 * Starts to record traces if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set; otherwise
 * does not load OpenTelemetry's SDK. The SDK reads its other variables (`OTEL_…`) itself.
 * @param role of this process, such as `gateway`
 */
export async function startTracing(
  role: string,
  env: Pick<
    Environment,
    "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" | "OTEL_SDK_DISABLED"
  >,
  log: Logger,
  shutdown: Shutdown,
): Promise<void> {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || env.OTEL_SDK_DISABLED) return;
  const { startExporting } = await import("./opentelemetry.ts");
  const exporting = startExporting(role, log);
  traceWith(exporting.tracer);
  shutdown.add(last, "traces", () => exporting.stop(flushMs));
}
