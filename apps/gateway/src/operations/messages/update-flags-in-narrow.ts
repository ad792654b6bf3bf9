import { updateMessageFlagsInNarrow } from "@carillon/contract";
import { changeFlagInNarrow } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `POST /messages/flags/narrow` (messages.md §7). */
export default handle.changes(updateMessageFlagsInNarrow, async ({ tx, input, actor }) => {
  const { ids, changed, foundOldest, foundNewest, ignored } = await changeFlagInNarrow(tx, actor, {
    op: input.op,
    flag: input.flag,
    anchor: input.anchor,
    anchorDate: input.anchor_date,
    includeAnchor: input.include_anchor,
    numBefore: input.num_before,
    numAfter: input.num_after,
    narrow: input.narrow ?? [],
  });
  return {
    processed_count: ids.length,
    updated_count: changed,
    first_processed_id: ids[0] ?? null,
    last_processed_id: ids.at(-1) ?? null,
    found_oldest: foundOldest,
    found_newest: foundNewest,
    ignored_because_not_subscribed_channels: ignored,
  };
});
