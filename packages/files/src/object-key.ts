import { randomBytes } from "node:crypto";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const length = 26;
const form = /^[a-z2-7]{26}$/;
/** Number of characters at the start of a key that name the two folders of its object. */
const charactersOfFolders = 2;

/**
 * Creates the key of a new object: 26 characters of `a-z2-7`, with 130 random bits. Lower case only, because some file
 * systems ignore case.
 */
export function newObjectKey(): string {
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join("");
}

/**
 * Creates keys of new objects that share a folder, so that concurrent uploads of them share the syncs of the folder.
 */
export function newObjectKeys(count: number): string[] {
  const folder = newObjectKey().slice(0, charactersOfFolders);
  return Array.from({ length: count }, () => folder + newObjectKey().slice(charactersOfFolders));
}

/**
 * Returns the path of an object in the folder or the bucket. It has two levels of 32 folders each. Both stores use the same
 * paths, so that a folder can be copied to a bucket and back.
 * @throws TypeError if the key does not have the form of {@link newObjectKey}
 */
export function objectPath(key: string): string {
  if (!form.test(key)) throw new TypeError(`${JSON.stringify(key)} is not the key of an object`);
  return `${key[0]}/${key[1]}/${key}`;
}
