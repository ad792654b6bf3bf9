import { JoinButton } from "./channels/join-button.tsx";
import { TopicMenu } from "./sidebar/topic-menu.tsx";
import { operandOf, type Route } from "./route.ts";
import { SearchBox } from "./search/search-box.tsx";
import { texts } from "./texts.ts";
import { Button } from "./ui/button.tsx";
import { Icon } from "./ui/icon.tsx";

export interface HeaderProps {
  readonly to: Route;
  readonly title: string;
  readonly isDrawerOpen: boolean;
  readonly onDrawer: () => void;
}

/** The name of the page, what can be done with its topic, and the search field. */
export function Header({ to, title, isDrawerOpen, onDrawer }: HeaderProps) {
  const channelId = to.page === "messages" ? operandOf(to.terms, "channel") : undefined;
  const topic = to.page === "messages" ? operandOf(to.terms, "topic") : undefined;
  return (
    <header class="header">
      <Button
        kind="quiet"
        class="drawer-button"
        label={texts.app.menu}
        expanded={isDrawerOpen}
        onClick={onDrawer}
      >
        <Icon name="menu" />
      </Button>
      <h2 class="title">
        <bdi>{title}</bdi>
      </h2>
      {typeof channelId === "number" && (
        <>
          <JoinButton channelId={channelId} />
          <TopicMenu channelId={channelId} topic={typeof topic === "string" ? topic : undefined} />
        </>
      )}
      <SearchBox />
    </header>
  );
}
