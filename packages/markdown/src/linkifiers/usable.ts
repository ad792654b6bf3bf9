import { linkTarget } from "../links/target.ts";
import type { Linkifier } from "./linkifiers.ts";
import { compilePattern, patternError } from "./pattern.ts";
import { re2 } from "./re2.ts";
import { expandUrl, templateVariables } from "./url-template.ts";

/** UTF-16 units of a pattern, and of a template. */
const longestPattern = 250;
const longestTemplate = 1_000;
/** Repetitions (`{3,20}`) that a pattern has, all together: each is written out before the program is made. */
const mostRepetitions = 200;

/** Instructions of a pattern: what reads a text takes time by their number, whatever they are. */
export const mostInstructions = 500;

/** Worded for who writes the linkifier: what keeps it from being used; undefined where nothing does. */
export function linkifierProblem({ pattern, urlTemplate }: Linkifier): string | undefined {
  return patternProblem(pattern) ?? templateProblem(pattern, urlTemplate);
}

/**
 * How many instructions the program of a usable pattern has.
 * @throws Error for a pattern that RE2 does not take
 */
export function patternSize(pattern: string): number {
  const program = compilePattern(pattern);
  if (!program) throw new Error(`RE2 does not take the pattern ${pattern}`);
  return program.programSize();
}

function patternProblem(pattern: string): string | undefined {
  if (pattern.trim() === "") return "pattern must not be empty";
  if (pattern.length > longestPattern)
    return `pattern must not have more than ${longestPattern} characters`;
  const repetitions = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) =>
    Number(most || least),
  );
  if (repetitions.reduce((sum, count) => sum + count, 0) > mostRepetitions)
    return `pattern must not have more than ${mostRepetitions} repetitions in all`;
  const error = patternError(pattern);
  if (error !== undefined) return `pattern is not a regular expression of RE2: ${error}`;
  if (patternSize(pattern) > mostInstructions)
    return `pattern is too complex: it takes more than ${mostInstructions} instructions`;
  return undefined;
}

function templateProblem(pattern: string, template: string): string | undefined {
  if (template.length > longestTemplate)
    return `url_template must not have more than ${longestTemplate} characters`;
  const variables = templateVariables(template);
  if (variables === undefined) return "url_template is not a URL template of RFC 6570";
  const groups = Object.keys(re2().compile(pattern).namedGroups());
  const unknown = variables.find((name) => !groups.includes(name));
  if (unknown !== undefined)
    return `url_template has the variable ${unknown}, and pattern no group of that name`;
  const unused = groups.find((name) => !variables.includes(name));
  if (unused !== undefined)
    return `pattern has the group ${unused}, and url_template no variable of that name`;
  return linksAnywhere(template, variables)
    ? undefined
    : "url_template must be an address such as https://example.com/{id}";
}

/** Where a variable stands for the scheme, what matches decides: then nobody can say. */
function linksAnywhere(template: string, variables: readonly string[]): boolean {
  const example = Object.fromEntries(variables.map((name) => [name, "1"]));
  return /^\w*\{/.test(template) || linkTarget(expandUrl(template, example)) !== undefined;
}
