/** A start-up problem that the person who started the process can mend. Its message is the one line they see. */
export class StartupError extends Error {}
