import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { keepSecret } from "@carillon/embedded";
import { randomKey, StartupError } from "@carillon/kit";

import type { Context } from "../context.ts";
import { environmentOf } from "../installation.ts";
import { secretFrom } from "../secret-input.ts";

/** As strong as one that is made. */
const length = 24;
const shortest = 12;

/** Gives the dashboard's operator another password, where it is kept. */
export async function rotateDashboardPassword(
  context: Context,
  { passwordFile }: { readonly passwordFile?: string },
): Promise<void> {
  const env = environmentOf(context);
  if (env.DASHBOARD_PASSWORD !== undefined)
    throw new StartupError(
      "DASHBOARD_PASSWORD is set: change the variable, and start the dashboard anew",
    );
  const dataDir = resolve(env.DATA_DIR);
  const secrets = join(dataDir, "secrets.json");
  if (!existsSync(secrets))
    throw new StartupError(
      `DATA_DIR ${dataDir} is not one that npm start made: there is no ${secrets}`,
    );
  const password =
    passwordFile === undefined
      ? randomKey(length)
      : await secretFrom(context.terminal, passwordFile, {
          what: "new password",
          option: "--password-file",
        });
  if (password.length < shortest)
    throw new StartupError(`the password must have at least ${shortest} characters`);
  await keepSecret(dataDir, "DASHBOARD_PASSWORD", password);
  context.terminal.say(
    `The new password is DASHBOARD_PASSWORD in ${secrets}, from the next start on.`,
  );
}
