import { useEffect } from "preact/hooks";
import { unmutedUnread } from "./store/unmuted-unread.ts";
import { useOrganization } from "./store/use-organization.ts";
import { texts } from "./texts.ts";

/**
 * Sets the title of the browser's tab (number of unread messages, page, organization) and its icon (the organization's).
 * It is a separate component, so that a new message does not redraw the page.
 */
export function PageHead({ title }: { readonly title: string }) {
  const organization = useOrganization();
  const { settings, site } = organization;
  const unread = unmutedUnread(organization).reduce((sum, { ids }) => sum + ids.size, 0);
  const icon = settings.organization.get("icon_url");
  useEffect(() => {
    const name = [title, settings.name].filter(Boolean).join(" · ") || texts.app.name;
    document.title = unread > 0 ? `(${unread}) ${name}` : name;
  }, [title, settings.name, unread]);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link && typeof icon === "string") link.href = new URL(icon, `${site}/`).href;
  }, [icon, site]);
  return null;
}
