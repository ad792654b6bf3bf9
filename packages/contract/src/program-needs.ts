/** What a program reads that the protocol has left out, or spelt differently, since. */
export const programNeeds = ["reaction_user", "channel_email", "queue_id_message"] as const;

export type ProgramNeed = (typeof programNeeds)[number];

/**
 * The programs that need it, by the name with which they send requests (http-contract.md §9). Nobody else gets it: there
 * are clients that refuse fields which they do not know.
 */
export const olderPrograms: ReadonlyMap<string, readonly ProgramNeed[]> = new Map([
  // 0.7.0, its newest release, names who reacted by the `user` of the reaction alone, and shows the `email_address` of
  // subscriptions with what else it says of a channel. That its event queue is gone it tells by the beginning of the
  // message of the error, not by the code.
  ["ZulipTerminal", ["reaction_user", "channel_email", "queue_id_message"]],
]);

const nothing: readonly ProgramNeed[] = [];

/** What the program of that name needs: nothing, for most. */
export function needsOf(program: string): readonly ProgramNeed[] {
  return olderPrograms.get(program) ?? nothing;
}
