import type { Endpoint } from "@carillon/testkit";

/** A span, as a collector receives it (OpenTelemetry protocol, JSON). */
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: object }>;
}

interface SentTraces {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: SentSpan["attributes"] };
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly SentSpan[] }>;
  }>;
}

/** A span that a process has sent. */
export interface CollectedSpan extends Omit<SentSpan, "attributes"> {
  /** Name of the process. */
  readonly service: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Variables for a process that sends its spans to an endpoint within a fifth of a second. */
export function variablesFor({ url }: Endpoint) {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: new URL(url).origin, OTEL_BSP_SCHEDULE_DELAY: "200" };
}

/** Returns all spans that an endpoint has received. */
export function collectedSpans({ calls }: Endpoint): CollectedSpan[] {
  return calls
    .filter(({ path }) => path.endsWith("/v1/traces"))
    .flatMap(({ body }) => (JSON.parse(body) as SentTraces).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const service = valuesOf(resource.attributes)["service.name"];
      return scopeSpans
        .flatMap(({ spans }) => spans)
        .map((span) => ({ ...span, service, attributes: valuesOf(span.attributes) }));
    });
}

function valuesOf(attributes: SentSpan["attributes"]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [inner] = Object.values(value) as unknown[];
      return [key, inner];
    }),
  );
}
