import { errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import { cutContent, maxMessageLength } from "@carillon/model";

import { admits, type EventFilter } from "./event-filter.ts";
import {
  type Integration,
  UnsupportedEvent,
  type WebhookMessage,
  type WebhookParameters,
} from "./integration.ts";
import { maxMessages } from "./limits.ts";

/** A decoded request of an integration. */
export interface WebhookPayload {
  /** The value of the event header, if the integration has one. */
  readonly event: string | undefined;
  readonly payload: unknown;
  readonly parameters: WebhookParameters;
  readonly filter: EventFilter;
}

/**
 * Returns the messages for a payload, except those that the filter excludes.
 * @throws ApiError `BAD_REQUEST`; UnsupportedEvent
 */
export function readMessages(
  { formats, events, takesText }: Integration,
  { event, payload, parameters, filter }: WebhookPayload,
): WebhookMessage[] {
  const name = event ?? "payload";
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  // Where the header alone names the event, the payload of an excluded one need not be what the format expects.
  const isNamed = event !== undefined && (!format || events.includes(event));
  if (isNamed && !admits(filter, event)) return [];
  if (!format) throw new UnsupportedEvent(name);
  const messages = format
    .messages(payload, parameters)
    .filter((message) => admits(filter, message.event ?? event ?? ""));
  if (messages.length > maxMessages)
    throw errors.badRequest(`The payload makes more than ${maxMessages} messages`);
  return messages.flatMap((message) => {
    const content = takesText ? storable(message.content) : finished(message.content);
    return content === "" ? [] : [{ ...message, topic: storable(message.topic), content }];
  });
}

/** A message shows at most this many UTF-16 units of a text. */
const enough = 2 * maxMessageLength + 2;

/** Returns the beginning of a text, without what PostgreSQL cannot store. */
function storable(text: string): string {
  const shown = text
    .trimEnd()
    .replace(/^[\r\n]+/, "")
    .slice(0, enough);
  return shown.replaceAll(/[\0\p{Cs}]/gu, "\ufffd");
}

/**
 * Returns content that has no effect except its markup: at its beginning `/poll` would make a widget of it, and where it is
 * cut, code may lose the mark at its end, so that mentions in it would have an effect.
 */
function finished(content: string): string {
  const whole = storable(content).replace(/^\/(?=(?:poll|todo|me)(?:\s|$))/, "&#47;");
  if (!isLongerThan(whole, maxMessageLength)) return whole;
  const cut = cutContent(whole, maxMessageLength).replaceAll(/@(?=[*_])/g, "&#64;");
  return cutContent(cut, maxMessageLength);
}
