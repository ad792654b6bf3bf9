/** What was found of one thing. */
export interface Finding {
  readonly what: string;
  /** `warning`: it works, and should be otherwise. */
  readonly state: "ok" | "warning" | "failed";
  readonly text: string;
}

export const ok = (what: string, text: string): Finding => ({ what, state: "ok", text });
export const warning = (what: string, text: string): Finding => ({ what, state: "warning", text });
export const failed = (what: string, text: string): Finding => ({ what, state: "failed", text });

/** What a check found, or why it could not be made. */
export async function found(what: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failed(what, error instanceof Error ? error.message : String(error))];
  }
}
