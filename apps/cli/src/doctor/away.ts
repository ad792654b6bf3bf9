import type { Sql } from "@carillon/db";
import { loadDeferralState } from "@carillon/domain";
import { counted } from "@carillon/kit";

import { type Finding, failed, ok, warning } from "./finding.ts";

/**
 * Reports for how many people and messages copies are deferred (docs/decisions/083). Fails if a process runs whose release
 * does not know deferred copies, and warns of jobs that are late in making them or have failed.
 */
export async function examineAway(sql: Sql): Promise<Finding[]> {
  const state = await loadDeferralState(sql);
  const { people, messages, hasMoreMessages, olderProcesses, waiting, dead } = state;
  const older = olderProcesses.join(", ");
  const findings: Finding[] = [];
  if (people === 0)
    findings.push(
      older === ""
        ? ok("away", "no copies are deferred")
        : ok("away", `no copies are deferred while an earlier release runs: ${older}`),
    );
  else {
    const more = hasMoreMessages ? "more than " : "";
    const text = `copies of ${more}${counted(messages, "message")} are deferred for ${peopleText(people)}`;
    findings.push(
      older === ""
        ? ok("away", text)
        : failed(
            "away",
            `${text}, and an earlier release runs that does not show them these messages: ${older}. Stop it. To go back to that release, first set AWAY_AFTER_DAYS=0 and let a worker of this release run until no copies are deferred`,
          ),
    );
  }
  if (waiting > 0)
    findings.push(
      warning(
        "away",
        `the jobs that make the copies of ${peopleText(waiting)} are more than an hour late: a worker must run and take jobs of the queue maintenance`,
      ),
    );
  if (dead > 0)
    findings.push(
      warning(
        "away",
        `the jobs that make the copies of ${peopleText(dead)} were given up: read in the dashboard why they failed, and replay them`,
      ),
    );
  return findings;
}

const peopleText = (count: number) => counted(count, "person", "people");
