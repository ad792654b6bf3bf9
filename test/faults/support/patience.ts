/**
 * How long recovery from a fault may take, in milliseconds. The sweep takes up to 35 s; this allows for a busy
 * machine.
 */
export const patienceMs = 120_000;

/** Time limit of a scenario with several such waits. */
export const scenarioMs = 400_000;
