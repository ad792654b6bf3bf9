import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ApiCredentials, authorization, type TestProcesses } from "@carillon/testkit";

/** Where the programs of a Python are that has schemathesis; by `npm run test:fuzz`. */
const folder = process.env["CARILLON_TEST_FUZZER"] ?? "";
const support = fileURLToPath(new URL(".", import.meta.url));

/** What is wrong with an answer whoever asks: see the names in schemathesis's documentation. */
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
  /** Whose requests they are; nobody's unless given. */
  readonly auth?: ApiCredentials | undefined;
  /** What there is to ask for: patterns of names of parameters, and the ids of what they name. */
  readonly ids: ReadonlyArray<readonly [names: string, ids: readonly number[]]>;
  /** The same seed and the same server: the same requests. */
  readonly seed: number;
  /** Requests that are made up for each operation, at most. */
  readonly examples: number;
  /** Also those at the bounds of what is declared, and beyond: about seventy for each operation. */
  readonly bounds: boolean;
}

/**
 * Sends every operation requests that the OpenAPI document allows, and some that it does not.
 * @returns its report, and whether all was well
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
  // It leaves files where it works.
  const made = processes.program(join(folder, "schemathesis"), args, variables, { cwd: tmpdir() });
  const { code } = await made.exit;
  return { well: code === 0, report: made.output() };
}
