import { ChannelsView } from "./channels/channels-view.tsx";
import { DraftsView } from "./compose/drafts-view.tsx";
import { Conversations } from "./conversations.tsx";
import { ManageView } from "./manage/manage-view.tsx";
import { viewTitle } from "./messages/view-title.ts";
import type { Route } from "./route.ts";
import { ScheduleView } from "./schedule/schedule-view.tsx";
import type { Organization } from "./store/organization.ts";
import { texts } from "./texts.ts";

/** The page that an address names. */
export function Page({ to }: { readonly to: Route }) {
  switch (to.page) {
    case "messages":
      return <Conversations to={to} />;
    case "drafts":
      return <DraftsView />;
    case "channels":
      return <ChannelsView />;
    case "schedule":
      return <ScheduleView />;
    case "organization":
      return <ManageView section={to.section} />;
    case "unknown":
      return <p class="empty">{texts.app.unknownPage}</p>;
  }
}

export function pageTitle(to: Route, organization: Organization): string {
  switch (to.page) {
    case "messages":
      return viewTitle(to.terms, organization);
    case "drafts":
      return texts.common.drafts;
    case "channels":
      return texts.channels.title;
    case "schedule":
      return texts.common.mySchedule;
    case "organization":
      return texts.common.organization;
    case "unknown":
      return "";
  }
}
