import { statement, type Sql } from "@carillon/db";

/*
 * A circuit breaker for the push bouncer, shared by all workers in one row. After five unanswered calls in a row it
 * opens for five seconds, and twice as long each further time, up to two minutes. Then a single trial call is admitted;
 * if it is answered, the circuit closes.
 */

/** Unanswered calls in a row that open the circuit. */
const maxFailures = 5;
/** Seconds. */
const firstPause = 5;
const maxPause = 120;
/** Seconds after which another worker may make the trial: longer than a call may take. */
const trialSeconds = 30;
/** Milliseconds between two checks whether a trial is over. */
const trialRecheckMs = 2_000;

/** Whether a call of the bouncer is admitted now. */
export type Admission =
  | { readonly admitted: false; readonly waitMs: number }
  | {
      readonly admitted: true;
      readonly isTrial: boolean;
      /** Unanswered calls in a row so far. */
      readonly failures: number;
    };

/** Milliseconds until the pause ends; null while the circuit is closed. */
const waitMs = "ceil(extract(epoch FROM no_calls_until - clock_timestamp()) * 1000)::int";

const look = statement({
  name: "push-circuit-look",
  text: `SELECT failures, in_trial AS "inTrial", ${waitMs} AS "waitMs" FROM bouncer_circuit`,
});

const beginTrial = statement({
  name: "push-circuit-trial",
  text: `UPDATE bouncer_circuit
    SET in_trial = true, no_calls_until = clock_timestamp() + interval '${trialSeconds} s'
    WHERE no_calls_until <= clock_timestamp() RETURNING failures`,
});

/** Asks for admission of a call. Report its result to {@link recordUnanswered} or {@link recordAnswered}. */
export async function admitCall(sql: Sql): Promise<Admission> {
  const [circuit] = await sql.rows(look);
  if (!circuit || circuit.waitMs === null)
    return { admitted: true, isTrial: false, failures: circuit?.failures ?? 0 };
  if (circuit.waitMs > 0) {
    const wait = circuit.inTrial ? Math.min(circuit.waitMs, trialRecheckMs) : circuit.waitMs;
    return { admitted: false, waitMs: wait };
  }
  const [trial] = await sql.rows(beginTrial);
  return trial
    ? { admitted: true, isTrial: true, failures: trial.failures }
    : { admitted: false, waitMs: trialRecheckMs };
}

/** SQL: whether a failure opens the circuit. `$1`: whether it was a trial. */
const begins = `($1 OR failures + 1 >= ${maxFailures} AND no_calls_until IS NULL)`;

const failed = statement({
  name: "push-circuit-failed",
  text: `UPDATE bouncer_circuit SET failures = least(failures + 1, 1000), pauses = pauses + ${begins}::int,
      in_trial = in_trial AND NOT ${begins},
      no_calls_until = CASE WHEN ${begins} THEN clock_timestamp() + make_interval(secs =>
        least(${maxPause}, ${firstPause} * 2 ^ least(pauses, 10))) ELSE no_calls_until END
    RETURNING ${waitMs} AS "waitMs"`,
});

/**
 * Records an unanswered call. Calls that were in progress when the pause began do not prolong it.
 * @returns milliseconds until the pause ends; 0 if there is none
 */
export async function recordUnanswered(
  sql: Sql,
  { isTrial }: { isTrial: boolean },
): Promise<number> {
  const [circuit] = await sql.rows(failed, [isTrial]);
  return Math.max(0, circuit?.waitMs ?? 0);
}

const answered = statement({
  name: "push-circuit-answered",
  text: `UPDATE bouncer_circuit SET failures = 0, pauses = 0, no_calls_until = NULL, in_trial = false
    WHERE failures > 0`,
});

/** Records a call that was answered, whatever the answer; needed only if unanswered calls preceded it. */
export async function recordAnswered(sql: Sql): Promise<void> {
  await sql.rows(answered);
}
