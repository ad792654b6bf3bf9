/**
 * Sends statements, usually locks, and then the loads that depend on them, without waiting in between. The connection
 * executes them in order, so that the loads see the state that the locks protect.
 * @param before a promise or an array of promises
 * @returns the results of the loads, by name
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
