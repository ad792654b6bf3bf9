/**
 * Whether the password is one of the commonly leaked ones, ignoring case. The list is loaded on the first call, because
 * it takes 10 MB and is rarely needed.
 * @param password within the maximum length
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const { leakedPasswords } = await import("./leaked-passwords.ts");
  return leakedPasswords.has(password.normalize("NFKC").toLowerCase());
}
