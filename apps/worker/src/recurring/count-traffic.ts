import { countMessages } from "@carillon/domain";
import { countTraffic } from "@carillon/jobs";

import { taskInBatches } from "../task-in-batches.ts";

/** Counts the messages to each channel on each day (channels.md §11). */
export default taskInBatches(countTraffic, countMessages);
