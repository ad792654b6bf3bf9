import { errors } from "./errors.ts";
import type { InputOf, Operation } from "./operation.ts";

/**
 * Decodes the parameters of a request, in the documented order.
 * @param reads results of parameters that were read as a stream, by the names that were sent
 * @throws ApiError for the first parameter that is missing, unusable or given under two names
 */
export function decodeInput<Op extends Operation>(
  operation: Op,
  given: ReadonlyMap<string, string>,
  reads?: ReadonlyMap<string, () => unknown>,
): InputOf<Op> {
  const input: Record<string, unknown> = {};
  for (const { name, aliases, parameter } of operation.decoders) {
    const read = reads?.get(name);
    if (read) {
      input[name] = parameter.decodeRead(name, read);
      continue;
    }
    let text = given.get(name);
    let sentAs = name;
    for (const alias of aliases) {
      const other = given.get(alias);
      if (other === undefined) continue;
      if (text !== undefined) throw errors.confusing(sentAs, alias);
      text = other;
      sentAs = alias;
    }
    input[name] = text === undefined ? parameter.absent(name) : parameter.decode(sentAs, text);
  }
  return input as InputOf<Op>;
}
