/** A node of a plan, as far as `EXPLAIN (VERBOSE, FORMAT JSON)` is read here. */
export interface Plan {
  readonly "Node Type": string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly Plan[];
  readonly Schema?: string;
  readonly "Relation Name"?: string;
  readonly Alias?: string;
  readonly Filter?: string;
  readonly "Group Key"?: readonly string[];
  readonly "Join Type"?: string;
  readonly "Parent Relationship"?: string;
  readonly "Subplan Name"?: string;
}

/** What the plan says of a column: it comes from the optional side of an outer join, or is never null. */
export type NullFact = "optional" | "never null" | "unknown";

/**
 * Returns for each output of a plan what the plan says of nulls. PostgreSQL does not describe the nullability of
 * expressions, so this reads the plan's text and knows the expressions that are never null: `count(*)`, `EXISTS`, a COALESCE with a constant, a
 * strict function of columns that are NOT NULL. An expression that it does not know stays unknown.
 * @param isNotNull whether a column of a table, `schema.table.column`, is declared NOT NULL
 */
export function nullFacts(plan: Plan, isNotNull: (column: string) => boolean): readonly NullFact[] {
  const analysis = new NullAnalysis(plan, isNotNull);
  return outputsOf(plan).map((output) => {
    const expression = parse(output);
    if (analysis.isOptional(expression)) return "optional";
    return analysis.isNeverNull(expression) ? "never null" : "unknown";
  });
}

/** Returns the outputs of a node. A UNION has none in its plan: PostgreSQL names its columns as in its first branch. */
function outputsOf(plan: Plan): readonly string[] {
  const [first] = inputsOf(plan);
  return plan.Output ?? (first ? outputsOf(first) : []);
}

function inputsOf(plan: Plan): readonly Plan[] {
  const inputs = ["Outer", "Inner", "Member"];
  return (plan.Plans ?? []).filter((below) => inputs.includes(below["Parent Relationship"] ?? ""));
}

const optionalSides: Readonly<Record<string, readonly string[]>> = {
  Left: ["Inner"],
  Right: ["Outer"],
  Full: ["Inner", "Outer"],
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Functions whose result is null only if an argument is. */
const strictFunctions =
  words(`abs array_remove btrim cardinality ceil char_length concat_ws date_bin encode floor left
  length lower make_interval md5 octet_length repeat replace right round to_char to_tsvector tsvector_to_array upper`);

/** Functions whose result is never null. */
const neverNullFunctions =
  words(`array clock_timestamp concat count exists gen_random_uuid json_build_array
  json_build_object jsonb_build_array jsonb_build_object nextval now pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared
  rank row_number set_config`);

/** Aggregates that are null only for no rows. */
const collectingAggregates = words("array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg");

/** Aggregates that are null only where all their arguments are. */
const choosingAggregates = words("avg bool_and bool_or max min string_agg sum");

/** Operators whose result is null only if an operand is. */
const strictOperators = words("+ - * / % & | << >> || = <> < > <= >= ~ ~~ && @> <@ AND OR NOT");

class NullAnalysis {
  readonly #isNotNull: (column: string) => boolean;
  /** Tables by their aliases. */
  readonly #tables = new Map<string, string>();
  readonly #subplans = new Map<string, Plan>();
  /** Aliases and outputs of the optional sides of outer joins, and outputs of a UNION that a branch may leave null. */
  readonly #optional = new Set<string>();
  readonly #unions: Plan[] = [];
  /** Whether every aggregate sees at least one row, because it has groups. */
  #groupsOnly = true;

  constructor(plan: Plan, isNotNull: (column: string) => boolean) {
    this.#isNotNull = isNotNull;
    this.#visit(plan, false);
    for (const union of this.#unions) this.#addUnion(union);
  }

  #visit(plan: Plan, optional: boolean): void {
    const { Alias: alias, Schema: schema, "Relation Name": table, "Subplan Name": subplan } = plan;
    if (alias !== undefined && table !== undefined) this.#tables.set(alias, `${schema}.${table}`);
    if (subplan !== undefined) this.#subplans.set(subplan, plan);
    if (isUnion(plan)) this.#unions.unshift(plan);
    if (optional && alias !== undefined) this.#optional.add(alias);
    if (optional) for (const output of plan.Output ?? []) this.#optional.add(write(parse(output)));
    if (plan["Node Type"] === "Aggregate" && (optional || !plan["Group Key"]))
      this.#groupsOnly = false;
    const sides = optionalSides[plan["Join Type"] ?? ""] ?? [];
    for (const below of plan.Plans ?? [])
      this.#visit(below, optional || sides.includes(below["Parent Relationship"] ?? ""));
  }

  #addUnion(union: Plan): void {
    const branches = inputsOf(union).map(outputsOf);
    for (const [i, name] of (branches[0] ?? []).entries()) {
      const isNeverNull = branches.every((outputs) => this.isNeverNull(parse(outputs[i] ?? "")));
      if (!isNeverNull) this.#optional.add(write(parse(name)));
    }
  }

  isOptional(expression: Expression): boolean {
    return this.#optional.has(write(expression));
  }

  isNeverNull(expression: Expression): boolean {
    const [first, second] = expression;
    if (first === undefined || this.isOptional(expression)) return false;
    if (first === "CASE") return this.#isCaseNeverNull(expression);
    if (expression.includes("IS")) return true;
    const isOperator = (item: Item) => typeof item === "string" && strictOperators.has(item);
    if (expression.some(isOperator))
      return split(expression, isOperator).every(
        (operand, i) => (i === 0 && operand.length === 0) || this.isNeverNull(operand),
      );
    const cast = expression.indexOf("::");
    if (cast > 0) return this.isNeverNull(expression.slice(0, cast));
    if (typeof first !== "string") {
      const isSubplan = first[0] === "SubPlan" || first[0] === "InitPlan";
      if (isSubplan) return this.#isSubplanNeverNull(first.join(" "));
      return expression.length === 1 && this.isNeverNull(first);
    }
    if (typeof second === "object")
      return this.#isCallNeverNull(
        first.replaceAll('"', "").toLowerCase(),
        second,
        expression.slice(2),
      );
    return expression.length === 1 && (isConstant(first) || this.#isColumnNeverNull(first));
  }

  #isColumnNeverNull(item: string): boolean {
    const dot = item.lastIndexOf(".");
    const [only] = this.#tables.size === 1 ? this.#tables.keys() : [];
    const alias = dot < 0 ? only : item.slice(0, dot);
    const table = this.#tables.get(alias ?? "");
    if (table === undefined || this.#optional.has(alias ?? "")) return false;
    return this.#isNotNull(`${table}.${item.slice(dot + 1)}`);
  }

  /** A subquery without outputs is that of an EXISTS. An aggregate without groups always has one row. */
  #isSubplanNeverNull(name: string): boolean {
    const plan = this.#subplans.get(name);
    if (!plan) return false;
    if (outputsOf(plan).length === 0) return true;
    const hasOneRow =
      plan["Node Type"] === "Aggregate" && !plan["Group Key"] && plan.Filter === undefined;
    return hasOneRow && this.isNeverNull(parse(plan.Output?.[0] ?? ""));
  }

  #isCaseNeverNull(expression: Expression): boolean {
    const isClause = (item: Item) => typeof item === "string" && /^(WHEN|THEN|ELSE)$/.test(item);
    const clauses = expression.filter(isClause);
    const [, ...parts] = split(expression, isClause);
    return (
      clauses.includes("ELSE") &&
      parts.every((part, i) => clauses[i] === "WHEN" || this.isNeverNull(part))
    );
  }

  #isCallNeverNull(name: string, list: Expression, clauses: Expression): boolean {
    const args = split(list, (item) => item === ",");
    const every = () => args.every((arg) => this.isNeverNull(arg));
    if (neverNullFunctions.has(name)) return true;
    if (/^(coalesce|greatest|least)$/.test(name)) return args.some((arg) => this.isNeverNull(arg));
    if (name === "extract") return this.isNeverNull(list.slice(list.indexOf("FROM") + 1));
    if (name === "any") return typeof list[0] === "string" && !/^[^']|\bNULL\b/.test(list[0]);
    if (strictFunctions.has(name)) return every();
    if (!this.#groupsOnly || clauses.includes("FILTER")) return false;
    const [values = []] = split(list, (item) => item === "ORDER");
    if (choosingAggregates.has(name)) return this.isNeverNull(values);
    return collectingAggregates.has(name);
  }
}

/** A word, constant, operator or comma, or what stands in parentheses, in brackets, or between CASE and END. */
type Item = string | Expression;
type Expression = readonly Item[];

const tokens =
  /'(?:[^']|'')*'|(?:"(?:[^"]|"")*"|[A-Za-z_$][\w$]*)(?:\.(?:"(?:[^"]|"")*"|[\w$*]+))*|\.?\d+(?:\.\d+)?|\.\w+|::|[-+*/<>=~!@#%^&|`?]+|[()[\],]/g;

function parse(text: string): Expression {
  const top: Item[] = [];
  const open = [top];
  for (const [token] of text.matchAll(tokens)) {
    const current = open.at(-1) ?? top;
    if (token === "(" || token === "[" || token === "CASE") {
      const inner: Item[] = token === "CASE" ? ["CASE"] : [];
      current.push(inner);
      open.push(inner);
    } else if (token === ")" || token === "]" || token === "END") open.pop();
    else current.push(token);
  }
  return unwrapped(top);
}

/** Removes parentheses around the whole expression. */
function unwrapped(expression: Expression): Expression {
  const [only] = expression;
  const isWrapped = expression.length === 1 && typeof only === "object" && only[0] !== "SubPlan";
  return isWrapped ? unwrapped(only) : expression;
}

/** Whether a node puts the rows of several inputs into the same columns. */
function isUnion(plan: Plan): boolean {
  return plan.Output === undefined && inputsOf(plan).length > 1;
}

/** Writes an expression in one form, for comparisons. */
function write(expression: Expression): string {
  return unwrapped(expression)
    .map((item) => (typeof item === "string" ? item : `(${write(item)})`))
    .join(" ");
}

function split(expression: Expression, isSeparator: (item: Item) => boolean): Expression[] {
  const parts: Item[][] = [[]];
  for (const item of expression) {
    if (isSeparator(item)) parts.push([]);
    else parts.at(-1)?.push(item);
  }
  return parts;
}

function isConstant(item: string): boolean {
  return /^['\d]/.test(item) || /^(true|false|CURRENT_\w+)$/.test(item);
}
