import type { ShownIntegration } from "@carillon/domain";

import { integrations } from "./load-integrations.ts";

/** The integrations in the format of the snapshot, sorted by name (bot-platform.md §1.6). */
export const shownIntegrations: readonly ShownIntegration[] = [...integrations.values()]
  .map(({ name, label, events, urlOptions = [] }) => ({
    name,
    display_name: label,
    all_event_types: events.length > 0 ? events : null,
    config_options: [] as const,
    url_options: urlOptions,
  }))
  .sort((one, other) => (one.name < other.name ? -1 : 1));
