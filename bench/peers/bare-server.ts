import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { isGuest } from "@carillon/contract";
import { secretsOf } from "@carillon/model";
import pg from "pg";

// The minimal cost of an operation with an account: no contract, no checks of the answer, no log.
const secrets = secretsOf(process.env["SECRET_KEY"]!);
export const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"]!, max: 10 });

/** The account whose key came with the request. */
export interface Caller {
  readonly id: number;
  readonly realm_id: number;
  readonly role: number;
}

/** Serves the result of `answer`, as a successful response, to all accounts but guests, on a port that it prints. */
export function serveBare(
  answer: (caller: Caller, url: string, request: IncomingMessage) => Promise<object>,
): void {
  const server = createServer((request, response) => {
    callerOf(request.headers.authorization!)
      .then((caller) => answer(caller, request.url!, request))
      .then(
        (fields) => {
          response.setHeader("content-type", "application/json");
          response.end(JSON.stringify({ result: "success", msg: "", ...fields }));
        },
        (error: unknown) => {
          console.error(error);
          response.statusCode = 500;
          response.end();
        },
      );
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(`peer started on ${(server.address() as AddressInfo).port}`);
  });
  process.on("disconnect", () => process.exit(0));
  process.on("SIGTERM", () => process.exit(0));
}

async function callerOf(authorization: string): Promise<Caller> {
  const basic = Buffer.from(authorization.slice(6), "base64").toString();
  const found = await pool.query<Caller>({
    name: "key",
    text: "SELECT id, realm_id, role FROM users WHERE api_key_digest = $1 AND is_active",
    values: [secrets.digest(basic.slice(basic.indexOf(":") + 1))],
  });
  const caller = found.rows[0]!;
  if (isGuest(caller)) throw new Error("guests are not permitted");
  return caller;
}
