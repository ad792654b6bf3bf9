/**
 * The list as it was given, in which every name stands once.
 * @param what of the names: `job`
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
 * @param what of the name: `job`
 * @throws RangeError unless the name is lower-case words joined by hyphens
 */
export function checkName(what: string, name: string): void {
  if (!pattern.test(name))
    throw new RangeError(`the ${what} name "${name}" must be lower-case words joined by hyphens`);
}
