import type { Section } from "../context/section.ts";
import { visibleChannels } from "../context/visible-channels.ts";

/** Every channel whose metadata the account sees, sorted by name. */
export const channels: Section = {
  names: ["stream"],
  async load(context) {
    const visible = await visibleChannels(context);
    return { streams: visible.map(({ object }) => object) };
  },
};
