import { counted } from "@carillon/kit";
import { maxOverdue } from "@carillon/scheduling";
import { seconds } from "../spans.ts";
import { worryingSkew } from "./clock-skew.ts";
import { maxCounted, type RecentFailures } from "./failures.ts";
import { isLost, isServing } from "./processes.ts";
import { lacksStandby } from "./replication.ts";
import type { Snapshot } from "./readings.ts";

/**
 * Possible troubles, worst first, with their severity: failures of the server are critical; refusals, and what can wait,
 * are warnings. Alerts have the same conditions and severities (deploy/prometheus/alerts.yml).
 */
export const severities = {
  database: "critical",
  queues: "critical",
  unread: "critical",
  "standby-missing": "critical",
  "process-missing": "critical",
  overdue: "critical",
  failed: "critical",
  late: "critical",
  files: "critical",
  refused: "warning",
  "process-lost": "warning",
  "standby-behind": "warning",
  outbox: "warning",
  "dead-letters": "warning",
  bouncer: "warning",
  clock: "warning",
} as const;

export type Trouble = keyof typeof severities;
export type Severity = (typeof severities)[Trouble];

const troubles = Object.keys(severities) as Trouble[];

/** One trouble of the verdict. */
export interface Finding {
  readonly trouble: Trouble;
  readonly severity: Severity;
  /** One sentence. */
  readonly text: string;
  /** Details, one for each line: reasons, names of processes. */
  readonly details: readonly string[];
  /** Page with details. */
  readonly href?: string;
  /** For failures: what an operator can acknowledge, up to a time in microseconds of the UNIX epoch. */
  readonly acknowledge?: { readonly fault: "server" | "people"; readonly until: number };
}

/** Waiting times that count as late, in seconds; relay and sweep handle shorter ones. */
export const overdueAfter = 5;
export const outboxLateAfter = 10;

/** Seconds by which a standby may be behind without a warning. Promoting it would lose what it has not received. */
export const standbyBehindAfter = 60;

/** Limits of delivery latency, in seconds. */
export const latenessBounds = { p95: 2, worst: 10 } as const;

/** Judges a snapshot. Returns troubles, worst first, missing readings included; empty if all is well. */
export function verdict(snapshot: Snapshot): Finding[] {
  const found = judges.flatMap((judge) => judge(snapshot));
  return found.sort((a, b) => troubles.indexOf(a.trouble) - troubles.indexOf(b.trouble));
}

/** Returns the severity of the whole verdict; "ok" without findings. */
export function worstOf(findings: readonly Finding[]): Severity | "ok" {
  if (findings.some(({ severity }) => severity === "critical")) return "critical";
  return findings.length > 0 ? "warning" : "ok";
}

type Judge = (snapshot: Snapshot) => Finding[];

const finding = (
  trouble: Trouble,
  text: string,
  more: Partial<Pick<Finding, "details" | "href" | "acknowledge">> = {},
): Finding => ({ trouble, severity: severities[trouble], text, details: [], ...more });

const judges: readonly Judge[] = [
  ({ lag }) => (lag ? [] : [finding("database", "The database does not answer.")]),
  ({ queues }) => (queues ? [] : [finding("queues", "The queues do not answer.")]),
  unread,
  standbyMissing,
  missing,
  overdue,
  failed,
  late,
  files,
  refused,
  lost,
  standbyBehind,
  stuck,
  ({ counts }) =>
    counts && counts.deadLetters > 0
      ? [
          finding("dead-letters", `Dead letters: ${number(counts.deadLetters)}.`, {
            href: "/dead-letters",
          }),
        ]
      : [],
  ({ counts }) =>
    counts && counts.bouncerAway > 0
      ? [finding("bouncer", "The push bouncer does not answer.")]
      : [],
  clocks,
];

/** Reports missing readings, unless the database does not answer at all. */
function unread(snapshot: Snapshot): Finding[] {
  if (!snapshot.lag) return [];
  const parts = [
    ["failures", snapshot.failures],
    ["latency", snapshot.lateness],
    ["processes", snapshot.processes],
    ["dead letters", snapshot.counts],
  ] as const;
  const names = parts.flatMap(([name, part]) => (part === undefined ? [name] : []));
  return names.length === 0
    ? []
    : [finding("unread", `The database did not answer in time: ${names.join(", ")}.`)];
}

function standbyMissing({ replication }: Snapshot): Finding[] {
  if (!replication || !lacksStandby(replication)) return [];
  return [
    finding(
      "standby-missing",
      "Every commit waits for a synchronous standby, and none is connected. " +
        "Start the standby, or empty synchronous_standby_names on the primary.",
    ),
  ];
}

function standbyBehind({ replication }: Snapshot): Finding[] {
  const behind = (replication?.standbys ?? []).filter(
    ({ behindSeconds }) => (behindSeconds ?? 0) > standbyBehindAfter,
  );
  return behind.map(({ name, behindSeconds }) =>
    finding(
      "standby-behind",
      `The standby ${name} is ${seconds(behindSeconds ?? 0)} behind: promoting it may lose acknowledged messages.`,
    ),
  );
}

function missing({ processes }: Snapshot): Finding[] {
  if (!processes) return [];
  return ["worker", "gateway"]
    .filter((role) => !processes.some((row) => row.role === role && isServing(row)))
    .map((role) => finding("process-missing", `No ${role} is running.`));
}

function overdue({ lag }: Snapshot): Finding[] {
  if (!lag || lag.dueLag <= overdueAfter) return [];
  const { overdue: count, dueLag } = lag;
  const many = count > maxOverdue ? `More than ${number(maxOverdue)}` : number(count);
  const are = count === 1 ? "message or reminder is" : "messages and reminders are";
  return [finding("overdue", `${many} ${are} overdue, the oldest by ${seconds(dueLag)}.`)];
}

function failed({ failures }: Snapshot): Finding[] {
  const ofServer = (failures ?? []).filter(({ byServer }) => byServer);
  return failedFinding("failed", ofServer, "because of a server error");
}

/** Failures caused by users: archived channel, deactivated account, missing permission. */
function refused({ failures }: Snapshot): Finding[] {
  const ofPeople = (failures ?? []).filter(({ byServer }) => !byServer);
  return failedFinding("refused", ofPeople, "because the organization no longer allows them");
}

function failedFinding(
  trouble: "failed" | "refused",
  failures: readonly RecentFailures[],
  why: string,
): Finding[] {
  if (failures.length === 0) return [];
  const count = failures.reduce((sum, row) => sum + row.count, 0);
  const many = count >= maxCounted ? `${number(maxCounted)} or more` : number(count);
  const what = count === 1 ? "message or reminder" : "messages and reminders";
  return [
    finding(trouble, `${many} ${what} failed in the last hour, ${why}.`, {
      details: shortened(
        failures.map((row) => `${number(row.count)} × ${row.reason}`),
        "other reasons",
      ),
      href: "/failed",
      acknowledge: {
        fault: trouble === "failed" ? "server" : "people",
        until: Math.max(...failures.map(({ latestAt }) => latestAt)),
      },
    }),
  ];
}

function late({ lateness }: Snapshot): Finding[] {
  if (!lateness || lateness.deliveries === 0) return [];
  const { p95, max } = lateness;
  const over = [
    p95 > latenessBounds.p95 ? [`p95 ${seconds(p95)}`, latenessBounds.p95] : [],
    max > latenessBounds.worst ? [`worst ${seconds(max)}`, latenessBounds.worst] : [],
  ].filter((part) => part.length > 0);
  if (over.length === 0) return [];
  const parts = over.map(([text, bound]) => `${text} (limit ${bound} s)`);
  return [finding("late", `Messages of the last hour were late: ${parts.join(", ")}.`)];
}

function files({ processes }: Snapshot): Finding[] {
  const without = (processes ?? []).filter(
    (row) => isServing(row) && Number(row.counters["filesAway"]) > 0,
  );
  if (without.length === 0) return [];
  const names = without.map(({ role, host, pid }) => `${role} ${host}:${pid}`);
  return [
    finding("files", "The store of uploaded files cannot be used.", {
      details: shortened(names, "more"),
      href: "/storage",
    }),
  ];
}

function lost({ processes }: Snapshot): Finding[] {
  const missing = (processes ?? []).filter(isLost);
  if (missing.length === 0) return [];
  const roles = [...new Set(missing.map(({ role }) => role))].map((role) => {
    const count = missing.filter((row) => row.role === role).length;
    return counted(count, role);
  });
  const text = `Stopped sending heartbeats in the last hour, without SIGTERM: ${roles.join(", ")}.`;
  const details = missing
    .toSorted((a, b) => a.lastSeen - b.lastSeen)
    .map(
      ({ role, host, pid, lastSeen }) =>
        `${role} ${host}:${pid}, last seen ${seconds(lastSeen)} ago`,
    );
  return [finding("process-lost", text, { details: shortened(details, "more") })];
}

function stuck({ lag }: Snapshot): Finding[] {
  if (!lag || lag.outboxOldest <= outboxLateAfter) return [];
  const text = `Outbox backlog: the oldest job has waited ${seconds(lag.outboxOldest)} to enter its queue.`;
  return [finding("outbox", text)];
}

function clocks({ lag }: Snapshot): Finding[] {
  if (!lag || Math.abs(lag.clockSkew) < worryingSkew) return [];
  const side = lag.clockSkew > 0 ? "ahead of" : "behind";
  const by = seconds(Math.abs(lag.clockSkew));
  return [finding("clock", `The database's clock is ${by} ${side} this machine's.`)];
}

/** Maximum details of one finding. */
const maxDetails = 5;

function shortened(details: readonly string[], rest: string): string[] {
  const shown = details.slice(0, maxDetails).map((text) => cut(text));
  const left = details.length - shown.length;
  return left === 0 ? shown : [...shown, `and ${left} ${rest}`];
}

const cut = (text: string, maxLength = 200) =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

const number = (value: number) => value.toLocaleString("en");
