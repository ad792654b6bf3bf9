/**
 * Limits how often somebody may try an account's password. A right one ends the counting; wrong ones of somebody else
 * keep the account's own people from logging in by password for a while, but never a key from working.
 */
export interface Guesses {
  /**
   * Counts one more try, before the password is looked at.
   * @param login the account, or what would be one: unknown ones are counted alike
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  begin(login: string): Promise<void>;
  /** The password was right. */
  end(login: string): Promise<void>;
}

/** For installations that limit nothing. */
export const anyGuesses: Guesses = { begin: async () => {}, end: async () => {} };
