import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ApiCredentials, authorization, type TestProcesses } from "@carillon/testkit";

/** Folder of programs of a Python with schemathesis; set by `npm run test:fuzz`. */
const folder = process.env["CARILLON_TEST_FUZZER"] ?? "";
const support = fileURLToPath(new URL(".", import.meta.url));

/** Checks of every answer, by their names in schemathesis's documentation. */
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
];

export const hasFuzzer = folder !== "";

export interface FuzzOptions {
  /** The server's address, without a path. */
  readonly url: string;
  /** The caller's credentials; anonymous unless given. */
  readonly auth?: ApiCredentials | undefined;
  /** Existing objects: patterns of parameter names, and the ids of the objects that these name. */
  readonly ids: ReadonlyArray<readonly [names: string, ids: readonly number[]]>;
  /** With the same seed and server, the requests are the same. */
  readonly seed: number;
  /** Maximum number of generated requests for each operation. */
  readonly examples: number;
  /** Whether to send requests at and beyond the declared bounds, about seventy for each operation. */
  readonly bounds: boolean;
}

/**
 * Sends requests to every operation but those of tus: some that the OpenAPI document allows, and some that it does not.
 * @returns its report, and whether no check failed
 */
export async function fuzz(
  processes: TestProcesses,
  { url, auth, ids, seed, examples, bounds }: FuzzOptions,
): Promise<{ well: boolean; report: string }> {
  const header = authorization(auth)["Authorization"];
  const args = [
    "run",
    `${url}/api/v1/openapi.json`,
    `--url=${url}`,
    `--checks=${checks.join(",")}`,
    `--phases=${bounds ? "coverage,fuzzing" : "fuzzing"}`,
    `--max-examples=${examples}`,
    `--seed=${seed}`,
    "--workers=1",
    "--max-redirects=0",
    // Operations of tus have bodies that the fuzzer cannot make, and the statuses of tus, which the document does not list.
    "--exclude-path-regex=^/api/v1/tus",
    "--request-timeout=30",
    "--continue-on-failure",
    "--suppress-health-check=all",
    "--generation-database=none",
    "--warnings=off",
    "--no-color",
    ...(header === undefined ? [] : [`--header=Authorization:${header}`]),
  ];
  const variables = {
    SCHEMATHESIS_HOOKS: "known_ids",
    CARILLON_KNOWN_IDS: JSON.stringify(ids),
    PYTHONPATH: support,
    PYTHONDONTWRITEBYTECODE: "1",
    COLUMNS: "160",
  };
  // It writes files into its working folder.
  const made = processes.program(join(folder, "schemathesis"), args, variables, { cwd: tmpdir() });
  const { code } = await made.exit;
  return { well: code === 0, report: made.output() };
}
