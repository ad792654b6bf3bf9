/** Fields and spellings that the protocol has dropped since, and that a program still reads. */
export const programNeeds = ["reaction_user", "channel_email", "queue_id_message"] as const;

export type ProgramNeed = (typeof programNeeds)[number];

/**
 * The programs that need older forms, by the name in their requests (http-contract.md §9). Other programs do not get
 * them, because some clients refuse unknown fields.
 */
export const olderPrograms: ReadonlyMap<string, readonly ProgramNeed[]> = new Map([
  // 0.7.0, its newest release, reads the account of a reaction from `user` only, and shows the `email_address` of
  // subscriptions. It recognizes a lost event queue by the beginning of the error's message, not by its code.
  ["ZulipTerminal", ["reaction_user", "channel_email", "queue_id_message"]],
]);

const nothing: readonly ProgramNeed[] = [];

/** Returns the needs of a program; most programs have none. */
export function needsOf(program: string): readonly ProgramNeed[] {
  return olderPrograms.get(program) ?? nothing;
}
