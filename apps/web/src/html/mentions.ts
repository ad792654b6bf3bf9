import type { HtmlContext } from "./context.ts";

/** Marks the mentions that notify the account. */
export function markOwnMentions(root: ParentNode, { organization }: HtmlContext): void {
  const { me, groups } = organization;
  for (const mention of root.querySelectorAll<HTMLElement>(
    ".user-mention, .user-group-mention, .topic-mention",
  )) {
    if (mention.classList.contains("silent")) continue;
    const { userId, userGroupId } = mention.dataset;
    const isOwn =
      userGroupId !== undefined
        ? groups.has(Number(userGroupId), me)
        : userId === undefined || userId === "*" || Number(userId) === me;
    if (isOwn) mention.classList.add("own-mention");
  }
}
