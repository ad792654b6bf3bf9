import * as z from "zod";

import { linkTo, plain, plainLine } from "./foreign-text.ts";
import { counted } from "./integration.ts";

/** Maximum lines for one push. */
const maxLines = 20;

/** A commit of a push. */
export const commit = z.object({ id: z.string(), message: z.string(), url: z.string().nullish() });

/** A push to a branch, of any host. */
interface Push {
  readonly who: string;
  /** `[pushed](…)`, or without a link. */
  readonly verb: string;
  readonly branch: string;
  /** All commits; the first ones are in `commits`. */
  readonly count: number;
  readonly commits: ReadonlyArray<z.output<typeof commit>>;
}

/** Returns the message about a push with commits. */
export function pushed({ who, verb, branch, count, commits }: Push): string {
  const shown = commits.slice(0, maxLines).map(({ id, message, url }) => {
    const [subject = ""] = message.trimStart().split("\n", 1);
    return `* ${plainLine(subject)} (${linkTo(plain(id.slice(0, 7)), url)})`;
  });
  const left = count - shown.length;
  const more = left > 0 ? [`* … and ${left} more`] : [];
  const first = `${plainLine(who)} ${verb} ${counted(count, "commit")} to ${plain(branch)}.`;
  return `${first}\n\n${[...shown, ...more].join("\n")}`;
}

/** Maximum commits of a push that are shown; only these are checked. */
export const shownCommits = maxLines;

/** Returns the name of the branch or the tag of a Git reference; undefined for other references. */
export function readRef(ref: string): { kind: "branch" | "tag"; name: string } | undefined {
  const [, kind, name = ""] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  if (kind === undefined) return undefined;
  return { kind: kind === "heads" ? "branch" : "tag", name };
}
