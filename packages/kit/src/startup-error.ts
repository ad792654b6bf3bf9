/** A start-up problem that the operator can fix. Its message is the only line printed. */
export class StartupError extends Error {}
