import type { RequestDeadline } from "@carillon/db";

/** A request for events. */
export interface Poll {
  readonly userId: number;
  /** Digest of the API key that the request came with. */
  readonly keyDigest: Uint8Array;
  readonly queueId: string;
  /** The newest id that the client has received: everything up to it is acknowledged. */
  readonly lastEventId: number;
  readonly block: boolean;
  /** Ends when the client hangs up. */
  readonly deadline: Pick<RequestDeadline, "reason" | "onEnd">;
}
