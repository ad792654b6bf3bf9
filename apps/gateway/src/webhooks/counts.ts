/** Outcomes of requests to integrations, for the metrics. */
export type WebhookOutcome =
  | "sent"
  | "nothing"
  | "no_channel"
  | "repeated"
  | "unsupported"
  | "refused";

/** Counts requests by integration and outcome. */
export class WebhookCounts {
  readonly #counts = new Map<string, Map<WebhookOutcome, number>>();

  add(integration: string, outcome: WebhookOutcome): void {
    const counts = this.#counts.get(integration) ?? new Map<WebhookOutcome, number>();
    this.#counts.set(integration, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  }

  /** Returns all counts, for the metric. */
  *read(): Iterable<{
    labels: { integration: string; outcome: WebhookOutcome };
    count: number;
  }> {
    for (const [integration, counts] of this.#counts)
      for (const [outcome, count] of counts) yield { labels: { integration, outcome }, count };
  }
}
