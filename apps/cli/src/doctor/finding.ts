/** Result of one check. */
export interface Finding {
  readonly what: string;
  /** `warning`: it works, but should be changed. */
  readonly state: "ok" | "warning" | "failed";
  readonly text: string;
}

export const ok = (what: string, text: string): Finding => ({ what, state: "ok", text });
export const warning = (what: string, text: string): Finding => ({ what, state: "warning", text });
export const failed = (what: string, text: string): Finding => ({ what, state: "failed", text });

/** Runs a check; an error becomes a failed finding. */
export async function found(what: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failed(what, error instanceof Error ? error.message : String(error))];
  }
}
