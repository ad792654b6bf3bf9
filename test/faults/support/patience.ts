/** How long recovery may take, in milliseconds: the sweep takes up to 35 s, and the machine may be busy. */
export const waitTimeoutMs = 120_000;

/** Time limit of a scenario with several such waits. */
export const scenarioMs = 400_000;
