import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import {
  groupSettingInput,
  groupSettingUpdate,
  groupSettingValue,
} from "../permissions/group-setting.ts";
import { condition, unlessParameter } from "./conditions.ts";
import { messageTypes, scheduledTo, sendingErrors, topicParameter } from "./scheduled-messages.ts";

/** Maximum number of series of one account that have not ended. */
export const maxSeries = 100;
/** Maximum number of excluded dates of a series. */
export const maxExcludedDates = 500;
/** Maximum number of occurrences in one answer. */
const maxOccurrences = 100;
/** Occurrences that an answer lists unless `count` asks for another number. */
export const usualOccurrences = 5;
/** Seconds */
const maxCatchUp = 86_400;
/** Delay in seconds after which an occurrence is not sent any more, unless the series has another. */
export const usualCatchUp = 600;
/** UNIX seconds, the end of the year 9999. */
const lastInstant = 253_402_300_799;

/** One occurrence of a series (once-and-again.md §3.1). */
export const seriesOccurrence = z.strictObject({
  /** Local date, which names the occurrence: `2026-12-01`. */
  occurrence: z.string(),
  /** UNIX seconds */
  scheduled_delivery_timestamp: z.int(),
  /** `2026-12-01T09:00:00+01:00` */
  local_time: z.string(),
});

export type SeriesOccurrence = z.input<typeof seriesOccurrence>;

/** How an occurrence ended (once-and-again.md §3.1). */
export const seriesRun = z.strictObject({
  occurrence: z.string(),
  outcome: z.enum(["sent", "failed", "withheld", "skipped", "missed"]),
  message_id: z.int().nullable(),
  reason: z.string().nullable(),
});

export type SeriesRun = z.input<typeof seriesRun>;

/** A series of messages as clients see it (once-and-again.md §3.1). */
export const messageSeries = z.strictObject({
  series_id: z.int(),
  author_id: z.int(),
  type: z.enum(["stream", "private"]),
  /** The channel, or the other participants; the author where there are none. */
  to: z.union([z.int(), z.array(z.int())]),
  /** Only of channel messages. */
  topic: z.string().optional(),
  content: z.string(),
  /** `2026-12-01T09:00:00` */
  start: z.string(),
  timezone: z.string(),
  rrule: z.string(),
  excluded_dates: z.array(z.string()),
  template: z.boolean(),
  unless: z.array(condition),
  catch_up_seconds: z.int(),
  can_manage_group: groupSettingValue,
  state: z.enum(["active", "paused", "ended"]),
  paused_reason: z.enum(["manual", "failures", "author_deactivated", "rule"]).nullable(),
  next_occurrence: z.string().nullable(),
  next_delivery_timestamp: z.int().nullable(),
  next_scheduled_message_id: z.int().nullable(),
  sent_count: z.int(),
  consecutive_failures: z.int(),
  version: z.int(),
});

export type MessageSeries = z.input<typeof messageSeries>;

/** Warnings about unexpected occurrences in an answer. */
const warnings = z.array(z.enum(["SKIPS_SHORT_MONTHS", "DST_GAP", "DST_OVERLAP", "ENDS"]));

const start = form
  .text()
  .describe(
    "Local time, `YYYY-MM-DDTHH:MM[:SS]` without an offset: lower bound and time of day. May lie in the past.",
  );
const timezone = form
  .text()
  .optional()
  .describe("IANA name. The account's own time zone unless given; required where it has none.");
const rrule = form
  .text()
  .describe(
    "Rule of RFC 5545, at most 300 characters: `FREQ` of `DAILY`, `WEEKLY`, `MONTHLY` or `YEARLY`, `INTERVAL`, `BYDAY`, " +
      "`BYMONTHDAY`, `BYMONTH`, `BYSETPOS`, `WKST`, and `COUNT` or `UNTIL`.",
  );
const excludedDates = form
  .json(z.array(z.string()), { maxItems: { count: maxExcludedDates, of: "dates" } })
  .optional()
  .describe("Local dates without an occurrence: `2026-12-25`. At most 500.");
const template = form
  .bool()
  .optional()
  .describe(
    "Expand `{date}`, `{weekday}`, `{week}` and `{n}` in topic and content; `{{` and `}}` are braces then. False unless given.",
  );
const catchUpSeconds = form
  .int({ min: 0, max: maxCatchUp })
  .optional()
  .describe("An occurrence that is later than this is not sent. 600 unless given.");
const canManageGroup = form
  .json(groupSettingInput)
  .optional()
  .describe(
    "The accounts that manage the series beside its author; none unless given. Guests never do.",
  );
/** A new value alone, or with the one that the caller expects it to replace. */
const changedManagers = form
  .json(z.union([groupSettingInput, groupSettingUpdate]))
  .optional()
  .describe(
    'A value as on creation, or the update form of other permissions: `{"new": …, "old": …}`.',
  );
const count = form
  .int({ min: 1, max: maxOccurrences })
  .default(usualOccurrences)
  .describe("How many occurrences the answer lists.");

const seriesId = path.int();
const occurrences = z.array(seriesOccurrence);

/** Creates the series of an example first. */
const oneSeries = {
  made: { SERIES_ID: ["create-message-series", "series_id"] },
  path: { series_id: "$SERIES_ID" },
} as const;

/** `GET /message_series` (once-and-again.md §3.1). */
export const listMessageSeries = operation({
  id: "list-message-series",
  method: "GET",
  path: "/api/v1/message_series",
  access: "account",
  summary: "List message series",
  description:
    "The series that the caller has written, manages, or sees as an administrator of their channel, by ID.",
  result: { message_series: z.array(messageSeries) },
});

/** `POST /message_series` (once-and-again.md §3.1). */
export const createMessageSeries = operation({
  id: "create-message-series",
  method: "POST",
  path: "/api/v1/message_series",
  access: "account",
  idempotencyKey: true,
  summary: "Create a message series",
  description:
    "A message and a calendar rule. The next occurrence is a scheduled message of its author, and each one plans the next when it is sent.",
  example: {
    params: {
      type: "channel",
      to: 1,
      topic: "stand-up",
      content: "What do you do today?",
      start: "2030-01-07T09:00",
      timezone: "Europe/Berlin",
      rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    },
  },
  params: {
    type: messageTypes,
    to: scheduledTo,
    topic: topicParameter.describe(
      "Required for channel messages, ignored for direct ones; cut to `max_topic_length`.",
    ),
    content: form.text().describe("Markdown; cut to `max_message_length`."),
    start,
    timezone,
    rrule,
    excluded_dates: excludedDates,
    template,
    unless: unlessParameter,
    catch_up_seconds: catchUpSeconds,
    can_manage_group: canManageGroup,
  },
  result: { series_id: z.int(), occurrences },
  errors: [...sendingErrors, "REQUEST_VARIABLE_MISSING"],
});

/** `POST /message_series/preview` (once-and-again.md §3.1). */
export const previewMessageSeries = operation({
  id: "preview-message-series",
  method: "POST",
  path: "/api/v1/message_series/preview",
  access: "account",
  summary: "Preview a calendar rule",
  description: "Lists the occurrences of a rule, and stores nothing.",
  example: {
    params: {
      start: "2030-01-31T09:00",
      timezone: "Europe/Berlin",
      rrule: "FREQ=MONTHLY;BYMONTHDAY=-1",
    },
  },
  params: {
    start,
    timezone,
    rrule,
    excluded_dates: excludedDates,
    after: form
      .int({ min: 0, max: lastInstant })
      .optional()
      .describe("UNIX time in UTC seconds; only later occurrences. Now unless given."),
    count,
  },
  result: { occurrences, warnings },
  errors: ["BAD_REQUEST", "REQUEST_VARIABLE_MISSING"],
});

/** `GET /message_series/{series_id}/occurrences` (once-and-again.md §3.1). */
export const listSeriesOccurrences = operation({
  id: "list-series-occurrences",
  method: "GET",
  path: "/api/v1/message_series/{series_id}/occurrences",
  pathParams: { series_id: seriesId },
  access: "account",
  summary: "List the occurrences of a series",
  description: "The next occurrences, and how the last 100 ended, newest first.",
  example: oneSeries,
  params: { count },
  result: { occurrences, runs: z.array(seriesRun) },
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});

/** `PATCH /message_series/{series_id}` (once-and-again.md §3.1). */
export const editMessageSeries = operation({
  id: "edit-message-series",
  method: "PATCH",
  path: "/api/v1/message_series/{series_id}",
  pathParams: { series_id: seriesId },
  access: "account",
  idempotencyKey: true,
  summary: "Edit a message series",
  description:
    "What is not given keeps its value. Whoever changes type, recipient, topic or content becomes the author. Only the author changes `can_manage_group`.",
  example: { ...oneSeries, params: { start: "2030-01-07T09:30" } },
  params: {
    type: messageTypes.optional(),
    to: scheduledTo.optional(),
    topic: topicParameter,
    content: form.text().optional(),
    start: start.optional(),
    timezone,
    rrule: rrule.optional(),
    excluded_dates: excludedDates,
    template,
    unless: unlessParameter,
    catch_up_seconds: catchUpSeconds,
    can_manage_group: changedManagers,
  },
  result: { occurrences },
  missingIs404: true,
  errors: [...sendingErrors, "EXPECTATION_MISMATCH"],
});

/** `DELETE /message_series/{series_id}` (once-and-again.md §3.1). */
export const deleteMessageSeries = operation({
  id: "delete-message-series",
  method: "DELETE",
  path: "/api/v1/message_series/{series_id}",
  pathParams: { series_id: seriesId },
  access: "account",
  idempotencyKey: true,
  summary: "Delete a message series",
  description: "Its pending messages are deleted too. What was sent stays.",
  example: oneSeries,
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});

/** `POST /message_series/{series_id}/pause` (once-and-again.md §3.1). */
export const pauseMessageSeries = operation({
  id: "pause-message-series",
  method: "POST",
  path: "/api/v1/message_series/{series_id}/pause",
  pathParams: { series_id: seriesId },
  access: "account",
  idempotencyKey: true,
  summary: "Pause a message series",
  example: oneSeries,
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});

/** `POST /message_series/{series_id}/resume` (once-and-again.md §3.1). */
export const resumeMessageSeries = operation({
  id: "resume-message-series",
  method: "POST",
  path: "/api/v1/message_series/{series_id}/resume",
  pathParams: { series_id: seriesId },
  access: "account",
  idempotencyKey: true,
  summary: "Resume a message series",
  description: "Nothing is sent for the time in which it was paused.",
  example: oneSeries,
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});

/** `POST /message_series/{series_id}/skip` (once-and-again.md §3.1). */
export const skipSeriesOccurrence = operation({
  id: "skip-series-occurrence",
  method: "POST",
  path: "/api/v1/message_series/{series_id}/skip",
  pathParams: { series_id: seriesId },
  access: "account",
  idempotencyKey: true,
  summary: "Skip an occurrence",
  example: oneSeries,
  params: {
    occurrence: form.text().optional().describe("Its local date. The next one unless given."),
  },
  result: { skipped: z.string(), occurrences },
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});

/** `POST /message_series/{series_id}/send` (once-and-again.md §3.1). */
export const sendSeriesNow = operation({
  id: "send-series-now",
  method: "POST",
  path: "/api/v1/message_series/{series_id}/send",
  pathParams: { series_id: seriesId },
  access: "account",
  idempotencyKey: true,
  summary: "Send the message of a series now",
  description: "The message comes from the author of the series. Its plan stays as it is.",
  example: oneSeries,
  result: { id: z.int() },
  missingIs404: true,
  errors: sendingErrors,
});

/** `POST /message_series/{series_id}/take_over` (once-and-again.md §3.1). */
export const takeOverMessageSeries = operation({
  id: "take-over-message-series",
  method: "POST",
  path: "/api/v1/message_series/{series_id}/take_over",
  pathParams: { series_id: seriesId },
  access: "account",
  idempotencyKey: true,
  summary: "Become the author of a series",
  example: oneSeries,
  missingIs404: true,
  errors: sendingErrors,
});

/** `POST /message_series/{series_id}/check_in` (once-and-again.md §4). */
export const checkInAtMessageSeries = operation({
  id: "check-in-at-series",
  method: "POST",
  path: "/api/v1/message_series/{series_id}/check_in",
  pathParams: { series_id: seriesId },
  access: "account",
  idempotencyKey: true,
  summary: "Check in at a message series",
  description:
    "For the author, and for accounts that a `check_in` condition of the series names. The planned occurrence is then " +
    "not sent; the next one is, unless there is another check-in.",
  example: { ...oneSeries, refused: [400, "the series has no `check_in` condition"] },
  result: { scheduled_delivery_timestamp: z.int() },
  missingIs404: true,
  errors: ["BAD_REQUEST"],
});

const receivers = "the author and the managers";

export const messageSeriesAdded = event({
  type: "message_series",
  op: "add",
  about: "A series of messages was created, or the account has become a manager of one.",
  to: "some",
  optIn: true,
  receivers,
  fields: { message_series: messageSeries },
  snapshot: { list: "message_series", by: "series_id", adds: "message_series" },
});

export const messageSeriesUpdated = event({
  type: "message_series",
  op: "update",
  about: "A series has changed, or an occurrence of it has ended: all of it.",
  to: "some",
  optIn: true,
  receivers,
  fields: { message_series: messageSeries },
  snapshot: { list: "message_series", by: "series_id", replaces: "message_series" },
});

export const messageSeriesRemoved = event({
  type: "message_series",
  op: "remove",
  about: "A series was deleted, or the account manages it no longer.",
  to: "some",
  optIn: true,
  receivers,
  fields: { series_id: z.int() },
  snapshot: { list: "message_series", by: "series_id", removes: "series_id" },
});
