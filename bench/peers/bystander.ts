import { startBystander, type Bystander } from "../../test/scale/attacks/bystander.ts";

/** The account that sends requests, and the server's address. */
export type BystanderRequest = Parameters<typeof startBystander>[0];

/** Measurements of the bystander since the last request for them. */
export interface BystanderMeasurements {
  /** Milliseconds of each answer. */
  readonly times: readonly number[];
  /** Answers other than success. */
  readonly failures: readonly string[];
}

let bystander: Bystander | undefined;

process.on("message", (wanted: BystanderRequest | "read") => {
  if (wanted !== "read") {
    bystander = startBystander(wanted);
    return;
  }
  const measurements: BystanderMeasurements = {
    times: bystander?.takeTimes() ?? [],
    failures: bystander?.failures ?? [],
  };
  process.send?.(measurements);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
console.log("bystander started");
