import type { ComponentChildren } from "preact";
import { route } from "../navigation.ts";
import { hashOf, type Route } from "../route.ts";
import { texts } from "../texts.ts";

export interface SidebarLinkProps {
  readonly to: Route;
  readonly children: ComponentChildren;
  readonly unread?: number;
  readonly class?: string;
}

/** A line of the sidebar that leads to a page, with the number of unread messages there. */
export function SidebarLink({ to, children, unread = 0, class: name = "" }: SidebarLinkProps) {
  const isCurrent =
    hashOf({ ...route.value, ...("near" in route.value && { near: null }) }) === hashOf(to);
  return (
    <a
      class={`sidebar-link ${name}`}
      href={hashOf(to)}
      aria-current={isCurrent ? "page" : undefined}
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
