import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { route } from "../navigation.ts";
import { hashOf, type Route } from "../route.ts";
import { texts } from "../texts.ts";

export interface SidebarLinkProps {
  readonly to: Route;
  readonly children: ComponentChildren;
  readonly unread?: number;
  readonly class?: string;
}

/** The address of the current page, without the message at which it opens. */
const currentHash = computed(() =>
  hashOf({ ...route.value, ...("near" in route.value && { near: null }) }),
);

/** A line of the sidebar that leads to a page, with the number of unread messages there. */
export function SidebarLink({ to, children, unread = 0, class: name = "" }: SidebarLinkProps) {
  const hash = hashOf(to);
  // When the page changes, only two of thousands of lines are drawn again: the old and the new current one.
  const isCurrent = useMemo(() => computed(() => currentHash.value === hash), [hash]);
  return (
    <a
      class={`sidebar-link ${name}`}
      href={hash}
      aria-current={isCurrent.value ? "page" : undefined}
    >
      <span class="sidebar-name">{children}</span>
      <UnreadCount count={unread} />
    </a>
  );
}

function UnreadCount({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span class="count">
      <span aria-hidden="true">{count}</span>
      <span class="for-readers">{texts.sidebar.unread(count)}</span>
    </span>
  );
}
