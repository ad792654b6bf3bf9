/**
 * Sends some statements, locks above all, and then the loads that depend on them. All of them are sent at once: one
 * connection runs them in the order given, so that the loads see what the locks guard.
 * @param before one promise, or several
 * @returns what was loaded, by name
 */
export async function loadAfter<Loads extends Readonly<Record<string, unknown>>>(
  before: unknown,
  loads: Loads,
): Promise<{ -readonly [Name in keyof Loads]: Awaited<Loads[Name]> }> {
  const first: readonly unknown[] = Array.isArray(before) ? before : [before];
  const results = await Promise.all([...first, ...Object.values(loads)]);
  const loaded = Object.keys(loads).map((name, i) => [name, results[first.length + i]]);
  return Object.fromEntries(loaded) as { -readonly [Name in keyof Loads]: Awaited<Loads[Name]> };
}
