/** What may be in a job: ids, versions, states. */
const id = /^[\w.@-]{1,100}$/;

/**
 * What of a job's data is shown: numbers, truth values and what looks like an id. Jobs carry no text by
 * declaration; whatever text one has all the same is not for the eyes of an operator.
 */
export function onlyIds(data: unknown): unknown {
  if (typeof data === "string") return id.test(data) ? data : "[cut]";
  if (Array.isArray(data)) return data.map(onlyIds);
  if (typeof data === "object" && data !== null) {
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, onlyIds(value)]));
  }
  return data;
}
