import type { Fragment } from "@carillon/model";

import type { CompiledNarrow } from "./narrow/compile.ts";
import type { Drive, RowIndex } from "./narrow/operator.ts";

/** What a statement is built around: whose order by id it follows until it has enough. */
export type Source =
  | { readonly kind: "rows"; readonly index: "all" | RowIndex }
  /** Messages that a condition on an indexed column picks out. */
  | { readonly kind: "messages" }
  /** The messages of one channel after the other. */
  | { readonly kind: "channels"; readonly where: Fragment };

/** Indexes that hold a small part of the viewer's rows. */
const rarestFirst: readonly RowIndex[] = ["alerted", "starred", "mentioned", "unread"];

/**
 * The narrowest index that the terms offer: a conversation, what is marked in the viewer's rows or unread, who is mentioned,
 * a sender, a topic by name, direct messages, and else everything that the viewer has received.
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

/** What is gone along in the order of ids where that order alone decides: what offers itself, or all messages there are. */
export type Path = Exclude<Source, { kind: "channels" }> | { readonly kind: "all" };

/** The path for a search by words: what is along it is looked at for as long as it takes. */
export function pathOf(narrow: CompiledNarrow): Path {
  const source = chooseSource(narrow);
  if (source.kind !== "channels") return source;
  return narrow.shared ? { kind: "all" } : { kind: "rows", index: "all" };
}
