import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Compose } from "./compose/compose.tsx";
import { DraftsView } from "./compose/drafts-view.tsx";
import { ManageView } from "./manage/manage-view.tsx";
import { MessagesView, viewTitle } from "./messages/messages-view.tsx";
import { route } from "./navigation.ts";
import { hashOf, type Route } from "./route.ts";
import { ScheduleView } from "./schedule/schedule-view.tsx";
import { SendLater } from "./schedule/send-later.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import type { Conversation } from "./store/conversation.ts";
import type { Organization } from "./store/organization.ts";
import { useOrganization } from "./store/use-organization.ts";
import { texts } from "./texts.ts";
import { Alert } from "./ui/alert.tsx";
import { Button } from "./ui/button.tsx";

const t = texts.app;

/** The sidebar beside the current page. On narrow screens the sidebar is a drawer. */
export function Shell() {
  const organization = useOrganization();
  const isDrawerOpen = useSignal(false);
  const to = route.value;
  const title = titleOf(to, organization);
  const connection = organization.connection.value;

  useEffect(() => {
    isDrawerOpen.value = false;
  }, [hashOf(to)]);
  useEffect(() => {
    document.title = [title, organization.settings.name].filter(Boolean).join(" · ") || t.name;
  }, [title, organization.settings.name]);

  return (
    <div class={isDrawerOpen.value ? "shell shell-open" : "shell"}>
      <a class="skip" href="#main" onClick={skip}>
        {t.skip}
      </a>
      <Sidebar />
      <div
        class="scrim"
        onClick={() => {
          isDrawerOpen.value = false;
        }}
      />
      <main class="main" id="main" tabIndex={-1}>
        <header class="header">
          <Button
            kind="quiet"
            class="drawer-button"
            label={t.menu}
            expanded={isDrawerOpen.value}
            onClick={() => {
              isDrawerOpen.value = !isDrawerOpen.value;
            }}
          >
            ☰
          </Button>
          <h2 class="title">
            <bdi>{title}</bdi>
          </h2>
        </header>
        {connection === "offline" && <Alert>{t.offline}</Alert>}
        {connection === "connecting" ? (
          <p class="empty" role="status">
            {t.connecting}
          </p>
        ) : (
          <Page to={to} />
        )}
      </main>
    </div>
  );
}

function Page({ to }: { readonly to: Route }) {
  switch (to.page) {
    case "messages":
      return <Conversations to={to} />;
    case "drafts":
      return <DraftsView />;
    case "schedule":
      return <ScheduleView />;
    case "organization":
      return <ManageView section={to.section} />;
    case "unknown":
      return <p class="empty">{t.unknownPage}</p>;
  }
}

interface Later {
  readonly conversation: Conversation;
  readonly content: string;
  readonly done: () => void;
}

/** A view of messages with the form to write one. */
function Conversations({ to }: { readonly to: Extract<Route, { page: "messages" }> }) {
  const later = useSignal<Later | undefined>(undefined);
  const close = () => {
    later.value = undefined;
  };
  return (
    <>
      <MessagesView key={`list ${hashOf(to)}`} terms={to.terms} near={to.near} />
      <Compose
        key={`compose ${hashOf({ ...to, near: null })}`}
        terms={to.terms}
        onSendLater={(conversation, content, done) => {
          later.value = { conversation, content, done };
        }}
      />
      {later.value && (
        <SendLater
          conversation={later.value.conversation}
          content={later.value.content}
          onClose={close}
          onScheduled={() => {
            later.value?.done();
            close();
          }}
        />
      )}
    </>
  );
}

function titleOf(to: Route, organization: Organization): string {
  switch (to.page) {
    case "messages":
      return viewTitle(to.terms, organization);
    case "drafts":
      return texts.drafts.title;
    case "schedule":
      return texts.schedule.title;
    case "organization":
      return texts.organization.title;
    case "unknown":
      return "";
  }
}

/** Moves the focus without changing the address, which names the page. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
