/**
 * Whether the password is one of those that guessers try first, in whatever case. The list is loaded by the first who
 * asks: 10 MB for what few do, and not often.
 * @param password no longer than passwords may be
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const { leakedPasswords } = await import("./leaked-passwords.ts");
  return leakedPasswords.has(password.normalize("NFKC").toLowerCase());
}
