import { storage } from "../storage.ts";
import type { ConversationNames } from "./conversation-names.ts";

/** The text of a compose box, as the browser stores it. */
export interface KeptText {
  readonly content: string;
  /** The names of its conversation; undefined if it has none. */
  readonly names?: ConversationNames | undefined;
}

export function readKeptText(key: string): KeptText | undefined {
  // Earlier releases stored the content alone.
  const kept = storage.read<KeptText | string>(key);
  return typeof kept === "string" ? { content: kept } : kept;
}
