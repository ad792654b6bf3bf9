import type { Sql, Statement } from "@carillon/db";

interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "CTE Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Runs a statement with EXPLAIN ANALYZE.
 * @returns its number of rows, and the rows read from a table or CTE, filtered ones included
 */
export async function rowsRead(
  sql: Sql,
  statement: Statement,
  values: readonly unknown[],
  table: string,
): Promise<{ found: number; read: number }> {
  const text = typeof statement === "string" ? statement : statement.text;
  const [plan] = await sql.rows<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    values,
  );
  const root = plan?.["QUERY PLAN"][0].Plan;
  if (!root) throw new Error("PostgreSQL returned no plan");
  return { found: root["Actual Rows"], read: readOf(root, table) };
}

function readOf(node: PlanNode, table: string): number {
  const rows = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0);
  const own = [node["Relation Name"], node["CTE Name"]].includes(table)
    ? rows * node["Actual Loops"]
    : 0;
  return own + (node.Plans ?? []).reduce((sum, plan) => sum + readOf(plan, table), 0);
}
