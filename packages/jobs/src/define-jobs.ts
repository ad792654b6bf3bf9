import type { JobDefinition } from "./job.ts";

/**
 * The registry: a list in which every name stands once.
 * @throws Error that names the job declared twice
 */
export function defineJobs<const Jobs extends readonly JobDefinition[]>(...jobs: Jobs): Jobs {
  const seen = new Set<string>();
  for (const { name } of jobs) {
    if (seen.has(name)) throw new Error(`the job ${name} is declared twice; give one another name`);
    seen.add(name);
  }
  return jobs;
}
