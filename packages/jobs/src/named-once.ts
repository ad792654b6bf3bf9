/**
 * Returns the list unchanged if all names differ.
 * @param what the kind of the names: `job`
 * @throws Error that says which name is declared twice
 */
export function namedOnce<const Declared extends ReadonlyArray<{ readonly name: string }>>(
  what: string,
  declared: Declared,
): Declared {
  const seen = new Set<string>();
  for (const { name } of declared) {
    if (seen.has(name))
      throw new Error(`the ${what} ${name} is declared twice; give one another name`);
    seen.add(name);
  }
  return declared;
}

const pattern = /^[a-z]+(-[a-z]+)*$/;

/**
 * Checks that a name is lower-case words joined by hyphens.
 * @param what the kind of the name: `job`
 * @throws RangeError if it is not
 */
export function checkName(what: string, name: string): void {
  if (!pattern.test(name))
    throw new RangeError(`the ${what} name "${name}" must be lower-case words joined by hyphens`);
}
