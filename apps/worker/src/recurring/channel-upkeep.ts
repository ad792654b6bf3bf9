import type { RecurringTask } from "@carillon/scheduling";
import { keepUpChannels } from "@carillon/domain";
import { channelUpkeep } from "@carillon/jobs";

/** Notes once a day which channels are quiet, and how much is sent to each (channels.md §11). */
export default {
  definition: channelUpkeep,
  async run({ db, log, signal }) {
    const organizations = await keepUpChannels(db, signal);
    if (organizations > 0) log.debug({ organizations }, "noted activity and traffic of channels");
  },
} satisfies RecurringTask;
