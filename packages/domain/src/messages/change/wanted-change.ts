import { knowableId, type PropagateMode } from "@carillon/contract";

/** What somebody wants of a message (messages.md §6.2), as it was sent. */
export interface WantedChange {
  readonly content?: string | undefined;
  readonly topic?: string | undefined;
  /** Any integer. */
  readonly channelId?: number | undefined;
  readonly propagateMode: PropagateMode;
  /** Whether the move is told where the messages were, and where they are. */
  readonly tellOld: boolean;
  readonly tellNew: boolean;
  /** Hexadecimal SHA-256 of the content that is to be replaced. */
  readonly previousHash?: string | undefined;
}

/** 0 where there can be no such channel; undefined where none is named. */
export function targetId({ channelId }: WantedChange): number | undefined {
  return channelId === undefined ? undefined : knowableId(channelId);
}
