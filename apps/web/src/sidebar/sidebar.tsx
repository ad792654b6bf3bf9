import { AccountMenu } from "../session/account-menu.tsx";
import { accounts } from "../session/accounts.ts";
import { allMessages, type Route } from "../route.ts";
import { ScheduleCount } from "../schedule/schedule-count.tsx";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ChannelList } from "./channel-list.tsx";
import { DirectList } from "./direct-list.tsx";
import { SidebarLink } from "./link.tsx";

const t = texts.sidebar;
const kind = (operand: string): Route => ({
  page: "messages",
  terms: [{ operator: "is", operand }],
  near: null,
});

/** Links to all pages: views of messages, channels with their topics, and direct messages. */
export function Sidebar() {
  const { settings, unread, plans } = useOrganization();
  const { current } = accounts;
  return (
    <nav class="sidebar" aria-label={t.title}>
      <div class="sidebar-head">
        <h1 class="sidebar-organization">
          <bdi>{settings.name}</bdi>
        </h1>
        <AccountMenu />
      </div>
      <SidebarLink to={allMessages}>{texts.common.allMessages}</SidebarLink>
      <SidebarLink to={kind("mentioned")} unread={unread.mentions}>
        {t.mentions}
      </SidebarLink>
      <SidebarLink to={kind("starred")}>{texts.common.starred}</SidebarLink>
      <SidebarLink to={{ page: "drafts" }}>
        {texts.common.drafts}
        {plans.drafts.size > 0 && <span class="plain-count"> {plans.drafts.size}</span>}
      </SidebarLink>
      <SidebarLink to={{ page: "schedule" }}>
        {texts.common.mySchedule}
        <ScheduleCount />
      </SidebarLink>
      <ChannelList />
      <SidebarLink to={{ page: "channels" }}>{t.browse}</SidebarLink>
      <DirectList />
      <div class="sidebar-end">
        <SidebarLink to={{ page: "organization", section: "" }}>
          {texts.common.organization}
        </SidebarLink>
        {current && (
          <Button kind="quiet" onClick={() => accounts.forget(current)}>
            {texts.session.signOut}
          </Button>
        )}
      </div>
    </nav>
  );
}
