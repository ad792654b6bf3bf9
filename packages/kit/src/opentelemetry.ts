import { diag, DiagLogLevel, SpanKind, type Tracer } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";
import { hostname } from "node:os";
import type { Logger } from "./logger.ts";
import { within } from "./within.ts";

/** Failed exports within this many milliseconds are logged as one line. */
const failureLogIntervalMs = 60_000;

/** A tracer whose spans go to a collector. */
export interface Exporting {
  readonly tracer: Tracer;
  /** Sends the remaining spans, and gives up after `limitMs` milliseconds. */
  stop(limitMs: number): Promise<void>;
}

/**
 * Starts OpenTelemetry's SDK, which sends spans in batches to the collector that the environment names. It drops them
 * while the collector does not answer.
 */
export function startExporting(role: string, log: Logger): Exporting {
  reportFailures(log);
  const own = resourceFromAttributes({
    "service.name": `carillon-${role}`,
    "service.namespace": "carillon",
    "service.instance.id": `${hostname()}:${process.pid}`,
  });
  const provider = new NodeTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new HarmlessSpans(new OTLPTraceExporter())],
  });
  // Without OpenTelemetry's default for "baggage": a client's texts would go into each job that its request adds.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return {
    tracer: provider.getTracer("carillon"),
    stop: async (limitMs) => {
      await within(provider.shutdown(), limitMs);
    },
  };
}

/**
 * Exports spans without the error messages that BullMQ records: they quote what people write. Drops the spans of BullMQ's
 * own timers: each worker would send seven of them every three seconds.
 */
class HarmlessSpans extends BatchSpanProcessor {
  override onEnd(span: ReadableSpan): void {
    if (!span.parentSpanContext && span.kind === SpanKind.INTERNAL) return;
    const harmless = { events: { value: [] }, status: { value: { code: span.status.code } } };
    super.onEnd(Object.create(span, harmless) as ReadableSpan);
  }
}

/** Logs the SDK's warnings and errors, once a minute: while the collector is down, there is one every few seconds. */
function reportFailures(log: Logger): void {
  let nextAt = 0;
  let unlogged = 0;
  const report = (message: string) => {
    unlogged++;
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + failureLogIntervalMs;
    log.warn({ why: message.slice(0, 500), failures: unlogged }, "traces could not be sent");
    unlogged = 0;
  };
  const ignore = () => {};
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
