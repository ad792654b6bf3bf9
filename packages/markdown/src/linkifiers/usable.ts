import { linkTarget } from "../links/target.ts";
import type { Linkifier } from "./linkifiers.ts";
import { compilePattern, patternError } from "./pattern.ts";
import { re2 } from "./re2.ts";
import { expandUrl, templateVariables } from "./url-template.ts";

/** Maximum lengths of a pattern and of a template, in UTF-16 units. */
const maxPatternLength = 250;
const maxTemplateLength = 1_000;
/** Maximum total of repetitions (`{3,20}`) in a pattern: RE2 expands each of them. */
const maxRepetitions = 200;

/** Maximum instructions of a pattern: matching time grows with them. */
const maxInstructions = 500;

/** Returns why a linkifier cannot be used, for its author; undefined if it can. */
export function linkifierProblem({ pattern, urlTemplate }: Linkifier): string | undefined {
  return patternProblem(pattern) ?? templateProblem(pattern, urlTemplate);
}

/**
 * Counts the instructions of a valid pattern.
 * @throws Error for an invalid pattern
 */
export function patternSize(pattern: string): number {
  const program = compilePattern(pattern);
  if (!program) throw new Error(`RE2 rejects the pattern ${pattern}`);
  return program.programSize();
}

function patternProblem(pattern: string): string | undefined {
  if (pattern.trim() === "") return "pattern must not be empty";
  if (pattern.length > maxPatternLength)
    return `pattern must not have more than ${maxPatternLength} characters`;
  const repetitions = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) =>
    Number(most || least),
  );
  if (repetitions.reduce((sum, count) => sum + count, 0) > maxRepetitions)
    return `pattern must not have more than ${maxRepetitions} repetitions in all`;
  const error = patternError(pattern);
  if (error !== undefined) return `pattern is not a regular expression of RE2: ${error}`;
  if (patternSize(pattern) > maxInstructions)
    return `pattern is too complex: it takes more than ${maxInstructions} instructions`;
  return undefined;
}

function templateProblem(pattern: string, template: string): string | undefined {
  if (template.length > maxTemplateLength)
    return `url_template must not have more than ${maxTemplateLength} characters`;
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

/** Returns whether the template begins with a variable, which may hold any scheme, or expands to a link. */
function linksAnywhere(template: string, variables: readonly string[]): boolean {
  const example = Object.fromEntries(variables.map((name) => [name, "1"]));
  return /^\w*\{/.test(template) || linkTarget(expandUrl(template, example)) !== undefined;
}
