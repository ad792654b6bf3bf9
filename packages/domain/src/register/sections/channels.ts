import { inSlices } from "@carillon/kit";
import type { Section } from "../section.ts";
import { visibleChannels } from "../visible-channels.ts";

/** Every channel whose metadata the account sees, sorted by name. */
export const channels: Section = {
  names: ["stream"],
  async load(context) {
    const { channels: visible, presenter } = await visibleChannels(context);
    return { streams: await inSlices(visible, (channel) => presenter.present(channel)) };
  },
};
