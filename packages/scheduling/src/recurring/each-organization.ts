/**
 * Does recurring work in one organization after the other. An organization whose work fails does not keep the others from
 * theirs, today or at the next run.
 * @param signal aborts the work
 * @param work returns how much was done
 * @returns how much was done in all organizations
 * @throws AggregateError for the organizations that failed, after the others are done
 */
export async function inEachOrganization(
  organizations: ReadonlyArray<{ readonly id: number }>,
  signal: AbortSignal,
  work: (realmId: number) => Promise<number>,
): Promise<number> {
  let done = 0;
  const failures: unknown[] = [];
  for (const { id } of organizations) {
    if (signal.aborted) break;
    try {
      done += await work(id);
    } catch (cause) {
      failures.push(new Error(`the work in organization ${id} failed`, { cause }));
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `the work failed in ${failures.length} organizations`);
  return done;
}
