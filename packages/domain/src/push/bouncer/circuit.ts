import { column, statement, type Sql } from "@carillon/db";

/*
 * Whether the push bouncer answers, for all workers, in one row: after five calls in a row that nobody answered it is left
 * alone, for five seconds first and twice as long each time, two minutes at most. Then one call is a trial, and when that
 * one is answered all others are made.
 */

/** Calls in a row that nobody answered, after which there are none for a while. */
const mostFailures = 5;
/** Seconds. */
const firstPause = 5;
const longestPause = 120;
/** Seconds after which a trial is another worker's: longer than a call may take. */
const trialSeconds = 30;
/** Between two looks at how a trial goes, in milliseconds. */
const trialLookMs = 2_000;

/** Whether the bouncer may be called now. */
export type Admission =
  | { readonly admitted: false; readonly waitMs: number }
  | {
      readonly admitted: true;
      readonly isTrial: boolean;
      /** In a row, until now. */
      readonly failures: number;
    };

/** Milliseconds that nobody calls; null while the bouncer answers. */
const waitMs = "ceil(extract(epoch FROM no_calls_until - clock_timestamp()) * 1000)::int";

const look = statement({
  name: "push-circuit-look",
  text: `SELECT failures, in_trial AS "inTrial", ${waitMs} AS "waitMs" FROM bouncer_circuit`,
  row: { failures: column.int, inTrial: column.bool, waitMs: column.int.orNull() },
});

const beginTrial = statement({
  name: "push-circuit-trial",
  text: `UPDATE bouncer_circuit
    SET in_trial = true, no_calls_until = clock_timestamp() + interval '${trialSeconds} s'
    WHERE no_calls_until <= clock_timestamp() RETURNING failures`,
  row: { failures: column.int },
});

/** Asks before a call; what came of it is told to {@link noteUnanswered} or {@link noteAnswered}. */
export async function admitCall(sql: Sql): Promise<Admission> {
  const [circuit] = await sql.rows(look);
  if (!circuit || circuit.waitMs === null)
    return { admitted: true, isTrial: false, failures: circuit?.failures ?? 0 };
  if (circuit.waitMs > 0) {
    const wait = circuit.inTrial ? Math.min(circuit.waitMs, trialLookMs) : circuit.waitMs;
    return { admitted: false, waitMs: wait };
  }
  const [trial] = await sql.rows(beginTrial);
  return trial
    ? { admitted: true, isTrial: true, failures: trial.failures }
    : { admitted: false, waitMs: trialLookMs };
}

/** Whether a pause begins with a failure. `$1`: it is a trial's. */
const begins = `($1 OR failures + 1 >= ${mostFailures} AND no_calls_until IS NULL)`;

const failed = statement({
  name: "push-circuit-failed",
  text: `UPDATE bouncer_circuit SET failures = least(failures + 1, 1000), pauses = pauses + ${begins}::int,
      in_trial = in_trial AND NOT ${begins},
      no_calls_until = CASE WHEN ${begins} THEN clock_timestamp() + make_interval(secs =>
        least(${longestPause}, ${firstPause} * 2 ^ least(pauses, 10))) ELSE no_calls_until END
    RETURNING ${waitMs} AS "waitMs"`,
  row: { waitMs: column.int.orNull() },
});

/**
 * Notes a call that nobody answered. Of calls that were under way together, those that fail after the pause began make it
 * no longer.
 * @returns for how many milliseconds nobody is to call, 0 where they may
 */
export async function noteUnanswered(sql: Sql, { isTrial }: { isTrial: boolean }): Promise<number> {
  const [circuit] = await sql.rows(failed, [isTrial]);
  return Math.max(0, circuit?.waitMs ?? 0);
}

const answered = statement({
  name: "push-circuit-answered",
  text: `UPDATE bouncer_circuit SET failures = 0, pauses = 0, no_calls_until = NULL, in_trial = false
    WHERE failures > 0`,
  row: {},
});

/** Notes a call that was answered, whatever the answer; needed only where there were failures before it. */
export async function noteAnswered(sql: Sql): Promise<void> {
  await sql.rows(answered);
}
