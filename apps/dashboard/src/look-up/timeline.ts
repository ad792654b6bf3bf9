import { seconds } from "../spans.ts";
import type { FailureView } from "./find-failures.ts";
import type { ScheduledView } from "./find-scheduled.ts";

/** A step in the timeline of a scheduled message or reminder. */
export interface TimelineStep {
  /** UNIX seconds. */
  readonly at: number;
  readonly what: string;
  /** Details by name: process, request, reason. */
  readonly facts: Readonly<Record<string, string | number>>;
}

type TimelineSource = Pick<
  ScheduledView,
  | "state"
  | "version"
  | "createdAt"
  | "requestId"
  | "clientName"
  | "enqueuedAt"
  | "deliverAt"
  | "sentAt"
  | "endedAt"
  | "endedBy"
  | "deliveredMessageId"
>;

/** Builds the timeline of a message from its row and its failures. */
export function timelineOf(row: TimelineSource, failures: readonly FailureView[]): TimelineStep[] {
  const steps: TimelineStep[] = [
    {
      at: row.createdAt,
      what: "scheduled",
      facts: {
        ...(row.requestId === null ? {} : { request: row.requestId }),
        ...(row.version === 1 ? { program: row.clientName } : {}),
      },
    },
    ...failures.flatMap((failure) => failureSteps(row, failure)),
  ];
  // The failure of this version has added it already.
  if (!failures.some(({ version, dueAt }) => version === row.version && dueAt === row.deliverAt))
    steps.push({ at: row.deliverAt, what: "due", facts: { version: row.version } });
  if (row.enqueuedAt !== null)
    steps.push({
      at: row.enqueuedAt,
      what: "delivery job queued",
      facts: { version: row.version },
    });
  if (row.state === "delivered") steps.push(...sentSteps(row));
  // The stable sort keeps the order of steps with equal times.
  return steps.sort((a, b) => a.at - b.at);
}

function failureSteps(row: TimelineSource, failure: FailureView): TimelineStep[] {
  const { version, dueAt, failedAt, reason, noticeId } = failure;
  const process = failure.process === "" ? {} : { process: failure.process };
  const isLast = row.state === "failed" && version === row.version;
  return [
    { at: dueAt, what: "due", facts: { version } },
    { at: failedAt, what: "claimed", facts: process },
    {
      at: isLast && row.endedAt !== null ? Math.max(failedAt, row.endedAt) : failedAt,
      what: "failed",
      facts: {
        ...process,
        reason,
        ...(noticeId === null ? { notice: "none" } : { notice: noticeId }),
      },
    },
  ];
}

function sentSteps({
  deliverAt,
  sentAt,
  endedAt,
  endedBy,
  deliveredMessageId,
}: TimelineSource): TimelineStep[] {
  const process = endedBy === null ? {} : { process: endedBy };
  const at = endedAt ?? sentAt;
  const steps: TimelineStep[] = [];
  if (sentAt !== null) steps.push({ at: sentAt, what: "claimed", facts: process });
  if (at === null) return steps;
  const message = deliveredMessageId === null ? {} : { message: deliveredMessageId };
  const late = { late: seconds(Math.max(0, at - deliverAt)) };
  return [...steps, { at, what: "sent", facts: { ...process, ...message, ...late } }];
}
