/**
 * Matches the causes of failed deliveries (`delivery_failures.cause`, label `reason` of `carillon_deliveries_total`) that
 * the organization is responsible for: a deactivated account, or the code of a refusal. Every other cause is a fault of
 * the server. The pattern is valid in PostgreSQL, Prometheus and JavaScript.
 */
const refusalCauses = "deactivated|[A-Z_]+";

/** Reasons that meant a fault of the server in rows older than the column `cause`. */
const faultReasons = [
  "The server was more than ten minutes late.",
  "Something went wrong on the server.",
];

/**
 * Returns the SQL condition that a row of `delivery_failures` failed because of the server.
 * @param table its alias
 */
export function failedByServer(table: string): string {
  return `CASE WHEN ${table}.cause IS NULL
    THEN ${table}.reason IN (${faultReasons.map((reason) => `'${reason}'`).join(", ")})
    ELSE ${table}.cause !~ '^(${refusalCauses})$' END`;
}
