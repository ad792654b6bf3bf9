/** A command that was typed in wrong: exit code 2. */
export class UsageError extends Error {}
