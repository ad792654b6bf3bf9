import type { Section } from "../context/section.ts";

/** What the server does not have: clients want the fields all the same. */
const fields: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  default_stream_groups: { realm_default_stream_groups: [] },
  realm_emoji: { realm_emoji: {} },
  push_device: { push_devices: {} },
  realm_domains: { realm_domains: [] },
  realm_filters: { realm_filters: [] },
  realm_playgrounds: { realm_playgrounds: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  stop_words: { stop_words: [] },
  onboarding_steps: { onboarding_steps: [] },
  video_calls: { has_zoom_token: false },
  giphy: { giphy_api_key: "" },
};

/** The sections of what there is none of yet. */
export const emptySections: readonly Section[] = Object.entries(fields).map(([name, value]) => ({
  names: [name],
  load: async () => value,
}));
