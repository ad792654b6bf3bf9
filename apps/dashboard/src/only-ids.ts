/** Allowed strings in a job: ids, versions, states. */
const id = /^[\w.@-]{1,100}$/;

/**
 * Filters a job's data to numbers, booleans and ids. Jobs carry no text by declaration; any other text is hidden from
 * operators.
 */
export function onlyIds(data: unknown): unknown {
  if (typeof data === "string") return id.test(data) ? data : "[cut]";
  if (Array.isArray(data)) return data.map(onlyIds);
  if (typeof data === "object" && data !== null) {
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, onlyIds(value)]));
  }
  return data;
}
