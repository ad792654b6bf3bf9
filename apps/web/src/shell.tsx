import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Header } from "./header.tsx";
import { handleKeys } from "./keyboard.ts";
import { navigate, route } from "./navigation.ts";
import { Overlays } from "./overlays.tsx";
import { overlay } from "./overlay.ts";
import { Page, pageTitle } from "./page.tsx";
import { PageHead } from "./page-head.tsx";
import { allMessages, hashOf } from "./route.ts";
import { nextUnread } from "./sidebar/next-unread.ts";
import { Sidebar } from "./sidebar/sidebar.tsx";
import { useOrganization } from "./store/use-organization.ts";
import { texts } from "./texts.ts";
import { StorageAlert } from "./storage-alert.tsx";
import { Alert } from "./ui/alert.tsx";

const t = texts.app;

/** The sidebar beside the current page. On narrow screens the sidebar is a drawer. */
export function Shell() {
  const organization = useOrganization();
  const isDrawerOpen = useSignal(false);
  const to = route.value;
  const title = pageTitle(to, organization);
  const connection = organization.connection.value;

  useEffect(() => {
    isDrawerOpen.value = false;
  }, [hashOf(to)]);
  useEffect(
    () =>
      handleKeys({
        help: () => (overlay.value = { kind: "keys" }),
        all: () => navigate(allMessages),
        nextUnread: () => {
          const next = nextUnread(organization);
          if (next) navigate(next);
        },
      }),
    [organization],
  );

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
        <Header
          to={to}
          title={title}
          isDrawerOpen={isDrawerOpen.value}
          onDrawer={() => {
            isDrawerOpen.value = !isDrawerOpen.value;
          }}
        />
        <StorageAlert />
        {connection === "offline" && <Alert>{t.offline}</Alert>}
        {connection === "silent" && <Alert>{t.silent}</Alert>}
        {organization.queueId.value === undefined ? (
          <p class="empty" role="status">
            {t.connecting}
          </p>
        ) : (
          <Page to={to} />
        )}
      </main>
      <PageHead title={title} />
      <Overlays />
    </div>
  );
}

/** Moves the focus without changing the address, which names the page. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
