import { errors, type receiveWebhook, type ResultOf } from "@carillon/contract";
import type { UrlOption } from "@carillon/domain";
import type * as z from "zod";

import type { SignatureScheme } from "./signature.ts";

/** A message that an integration makes of a payload. */
export interface WebhookMessage {
  /** For `only_events` and `exclude_events`; without one the value of the event header, or none. */
  readonly event?: string;
  /** Plain text, not Markdown. */
  readonly topic: string;
  readonly content: string;
  /** Identifies the subject of the message: with `edit_resolved`, a later message with the same key edits it. */
  readonly upsert?: { readonly key: string; readonly version: number };
}

/** Parameters of the request that integrations read (bot-platform.md §1.4). */
export interface WebhookParameters {
  /** Names of branches; undefined for all. */
  readonly branches: readonly string[] | undefined;
  /** The alert label to use as the topic. */
  readonly name: string;
  /** The alert label to use as the description. */
  readonly desc: string;
  /** Whether each alert has a separate message, which is edited when the alert is resolved. */
  readonly editResolved: boolean;
}

/** Converts one kind of payload into messages. */
export interface Format {
  /**
   * Makes the messages about a payload.
   * @returns in order; none if the payload says nothing that people want to read
   * @throws ApiError `BAD_REQUEST` if a field is missing or of another type; UnsupportedEvent
   */
  messages(payload: unknown, parameters: WebhookParameters): readonly WebhookMessage[];
}

/** A program whose payloads `POST /external/{name}` understands. */
export interface Integration {
  /** In the path: `slack_incoming`. */
  readonly name: string;
  /** In the name of the sending program, `Zulip{Label}Webhook`. */
  readonly label: string;
  /** Names of its events, for `only_events` and `exclude_events`; empty if it has none. */
  readonly events: readonly string[];
  /** The request header that names the event. */
  readonly eventHeader?: string;
  /** By the value of the event header; without such a header only `payload`. */
  readonly formats: Readonly<Record<string, Format>>;
  /** How its requests are signed; Standard Webhooks unless given. */
  readonly signature?: SignatureScheme;
  /** Query parameters that not all integrations have. Clients offer them when they compose the URL of a bot. */
  readonly urlOptions?: readonly UrlOption[];
  /** Added to the answer of a success. */
  readonly answer?: ResultOf<typeof receiveWebhook>;
  /** Whether a body may be `text/plain`, and a form may have the text in `content`. */
  readonly takesText?: true;
}

/** Declares an integration: the default export of a file in `src/webhooks/integrations`. */
export function integration(declared: Integration): Integration {
  return declared;
}

/** Declares the conversion of payloads of a shape into messages. Ignores fields that the shape does not name. */
export function format<Shape extends z.ZodType>(
  shape: Shape,
  messages: (payload: z.output<Shape>, parameters: WebhookParameters) => readonly WebhookMessage[],
): Format {
  return {
    messages: (payload, parameters) => messages(parsed(shape, payload), parameters),
  };
}

function parsed<Shape extends z.ZodType>(shape: Shape, payload: unknown): z.output<Shape> {
  const { success, data, error } = shape.safeParse(payload);
  if (success) return data;
  const [issue] = error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  throw errors.badRequest(
    `The payload is not as expected: ${place === "" ? "" : `${place}: `}${issue?.message ?? "unknown"}`,
  );
}

/** Thrown for an event that the integration does not know. */
export class UnsupportedEvent extends Error {
  readonly event: string;

  constructor(event: string) {
    super(`unsupported event ${event}`);
    this.event = event;
  }
}

/** Returns `1 commit`, `2 commits`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
