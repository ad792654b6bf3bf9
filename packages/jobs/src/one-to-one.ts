import { StartupError } from "@carillon/kit";

/** An implementation of a declaration. */
interface Implementation<Definition> {
  readonly definition: Definition;
}

/**
 * Maps each declaration's name to its implementation.
 * @param kinds names the kinds of declaration and implementation in errors: `["job", "processor"]`
 * @throws StartupError unless every declaration has exactly one implementation, and every implementation a
 *   declaration
 */
export function oneToOne<
  Definition extends { readonly name: string },
  Given extends Implementation<Definition>,
>(
  kinds: readonly [string, string],
  definitions: readonly Definition[],
  given: readonly Given[],
): ReadonlyMap<string, Given> {
  const [what, needed] = kinds;
  const byName = new Map<string, Given>();
  for (const one of given) {
    const { name } = one.definition;
    if (byName.has(name))
      throw new StartupError(`the ${what} ${name} has two ${needed}s; it needs exactly one`);
    if (!definitions.includes(one.definition)) {
      throw new StartupError(
        `there is a ${needed} for the ${what} ${name}, which is not in the list of ${what}s`,
      );
    }
    byName.set(name, one);
  }
  for (const { name } of definitions) {
    if (!byName.has(name)) {
      throw new StartupError(
        `the ${what} ${name} has no ${needed}; one must be the default export of a file`,
      );
    }
  }
  return byName;
}
