import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { storeSecret } from "@carillon/embedded";
import { randomKey, StartupError } from "@carillon/kit";

import type { Context } from "../context.ts";
import { environmentOf } from "../installation.ts";
import { secretFrom } from "../secret-input.ts";

/** Length of a generated password. */
const length = 24;
const minLength = 12;

/** Changes the dashboard operator's password in `secrets.json`. */
export async function rotateDashboardPassword(
  context: Context,
  { passwordFile }: { readonly passwordFile?: string },
): Promise<void> {
  const env = environmentOf(context);
  if (env.DASHBOARD_PASSWORD !== undefined)
    throw new StartupError(
      "DASHBOARD_PASSWORD is set: change the variable and restart the dashboard",
    );
  const dataDir = resolve(env.DATA_DIR);
  const secrets = join(dataDir, "secrets.json");
  if (!existsSync(secrets))
    throw new StartupError(
      `DATA_DIR ${dataDir} was not created by npm start: ${secrets} does not exist`,
    );
  const password =
    passwordFile === undefined
      ? randomKey(length)
      : await secretFrom(context.terminal, passwordFile, {
          what: "new password",
          option: "--password-file",
        });
  if (password.length < minLength)
    throw new StartupError(`the password must have at least ${minLength} characters`);
  await storeSecret(dataDir, "DASHBOARD_PASSWORD", password);
  context.terminal.say(
    `The new password is DASHBOARD_PASSWORD in ${secrets}; it is valid from the next start.`,
  );
}
