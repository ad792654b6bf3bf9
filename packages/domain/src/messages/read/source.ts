import type { Fragment } from "@carillon/model";

import type { CompiledNarrow } from "./narrow/compile.ts";
import type { Drive, RowIndex } from "./narrow/operator.ts";

/** The table and index that drive a statement: it follows their order by id until it has enough messages. */
export type Source =
  | { readonly kind: "rows"; readonly index: "all" | RowIndex }
  /** Messages selected by a condition on an indexed column. */
  | { readonly kind: "messages" }
  /** The messages of each channel in turn. */
  | { readonly kind: "channels"; readonly where: Fragment };

/** Indexes that contain a small part of the viewer's copies, smallest first. */
const rarestFirst: readonly RowIndex[] = ["alerted", "starred", "mentioned", "unread"];

/**
 * Chooses the most selective index that the terms offer: a conversation, marked or unread copies, a mention, a sender,
 * a topic by name, direct messages, and otherwise everything that the viewer has received.
 */
export function chooseSource({ drives, shared }: CompiledNarrow): Source {
  const by = (kind: Drive["by"]) => drives.find((drive) => drive.by === kind);
  if (by("message") || by("recipient")) return { kind: "messages" };
  const rows = drives.flatMap((drive) => (drive.by === "rows" ? [drive.index] : []));
  const marked = rarestFirst.find((index) => rows.includes(index));
  if (marked) return { kind: "rows", index: marked };
  if (by("mention") || by("sender")) return { kind: "messages" };
  const channels = by("channels");
  if (channels?.by === "channels" && shared) return { kind: "channels", where: channels.where };
  if (by("topic")) return { kind: "channels", where: () => "true" };
  return { kind: "rows", index: rows.includes("direct") ? "direct" : "all" };
}

/** What a search scans in the order of ids: the source that the terms offer, or all messages. */
export type Path = Exclude<Source, { kind: "channels" }> | { readonly kind: "all" };

/** Returns the path of a search by words. */
export function pathOf(narrow: CompiledNarrow): Path {
  const source = chooseSource(narrow);
  if (source.kind !== "channels") return source;
  return narrow.shared ? { kind: "all" } : { kind: "rows", index: "all" };
}
