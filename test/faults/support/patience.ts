/**
 * How long a fault may take to heal, in milliseconds: what takes up to 35 s by the sweep's intervals, on a machine
 * that has much else to do.
 */
export const patienceMs = 120_000;

/** How long a scenario with several such waits may take. */
export const scenarioMs = 400_000;
