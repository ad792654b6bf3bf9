import type { RecurringTask } from "@carillon/scheduling";
import { keepUpChannels } from "@carillon/domain";
import { channelUpkeep } from "@carillon/jobs";

/** Updates once a day which channels are active, and their weekly traffic (channels.md §11). */
export default {
  definition: channelUpkeep,
  async run({ db, log, signal }) {
    const organizations = await keepUpChannels(db, signal);
    if (organizations > 0) log.debug({ organizations }, "updated activity and traffic of channels");
  },
} satisfies RecurringTask;
