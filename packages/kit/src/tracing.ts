import {
  context,
  propagation,
  type Attributes,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";

/** A span to be recorded around some work. */
export interface Traced {
  /** The name of the span: one of few, so it contains no ids. */
  readonly name: string;
  /** `server`: a request to this process; `client`: its request to another one, which is recorded only within a span. */
  readonly kind: "server" | "client";
  /** Attributes with the names of OpenTelemetry's semantic conventions. */
  readonly attributes: Attributes;
  /** Headers of the request that caused the work: a `traceparent` makes the span part of the caller's trace. */
  readonly headers?: Readonly<Record<string, unknown>>;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

let tracer: Tracer | undefined;

/** Starts recording spans, with this tracer. */
export function traceWith(recorder: Tracer): void {
  tracer = recorder;
}

/** Whether this process records traces. */
export function isTracing(): boolean {
  return tracer !== undefined;
}

/**
 * Runs `work` within a span if this process records traces. The span ends with the work, and is the parent of spans
 * that the work starts. Records only the code or class of an error, because messages of errors may quote what people
 * write.
 * @param work receives the span, or undefined if nothing is recorded
 */
export async function traced<T>(
  { name, kind, attributes, headers }: Traced,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!tracer || (kind === "client" && !trace.getActiveSpan())) return work(undefined);
  const parent = headers ? propagation.extract(context.active(), headers) : context.active();
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    span.setAttribute("error.type", typeOf(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Returns the fields that link a log line to the current span, with the names that log collectors know. Returns a new
 * object each time, because pino adds the fields of the line to it.
 */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const current = tracer && trace.getActiveSpan()?.spanContext();
  return current ? { trace_id: current.traceId, span_id: current.spanId } : {};
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : error.name;
}
