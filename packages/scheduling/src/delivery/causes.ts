/**
 * Which causes of failed deliveries (`delivery_failures.cause`, label `reason` of `carillon_deliveries_total`) lie with
 * the people of an organization: a deactivated account, or a refusal, by its code. Every other cause is a fault of the
 * server. The pattern serves PostgreSQL, Prometheus and JavaScript alike.
 */
export const refusalCauses = "deactivated|[A-Z_]+";

/** What was written before causes were: these sentences told of faults of the server. */
const faultReasons = [
  "The server was more than ten minutes late.",
  "Something went wrong on the server.",
];

/**
 * The condition, in SQL, that a row of `delivery_failures` failed by a fault of the server.
 * @param table its alias
 */
export function failedByServer(table: string): string {
  return `CASE WHEN ${table}.cause IS NULL
    THEN ${table}.reason IN (${faultReasons.map((reason) => `'${reason}'`).join(", ")})
    ELSE ${table}.cause !~ '^(${refusalCauses})$' END`;
}
