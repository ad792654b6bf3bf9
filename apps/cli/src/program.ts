import { readFileSync } from "node:fs";
import { Command } from "commander";

import { addAccountCommands } from "./commands/account.ts";
import { addAuditCommand } from "./commands/audit.ts";
import { addBackupCommands } from "./commands/backup.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addFilesCommands } from "./commands/files.ts";
import { addKeyCommands } from "./commands/key.ts";
import { addMailCommands } from "./commands/mail.ts";
import { addOrganizationCommands } from "./commands/organization.ts";
import { addSecretCommands } from "./commands/secrets.ts";
import { addWebhookCommands } from "./commands/webhook.ts";
import type { Context } from "./context.ts";

const about = `Works on the installation of DATABASE_URL and SECRET_KEY; without DATABASE_URL, on the one that npm start
keeps in DATA_DIR (default ./var), running or not. Secrets are prompted for or read from files; "-" is
standard input.

Exit codes: 0 success, 1 refused or failed, 2 usage error, 130 interrupted.`;

/** Builds the command line. Each command loads its modules when it runs. */
export function commandLine(context: Context): Command {
  const { terminal } = context;
  const program = new Command("carillon")
    .description("Command line for operators of Carillon.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .addHelpText("after", `\n${about}`)
    .showHelpAfterError("(see --help)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.say(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    });
  addOrganizationCommands(program, context);
  addAccountCommands(program, context);
  addKeyCommands(program, context);
  addAuditCommand(program, context);
  addSecretCommands(program, context);
  addMailCommands(program, context);
  addBackupCommands(program, context);
  addFilesCommands(program, context);
  addWebhookCommands(program, context);
  addDoctorCommand(program, context);
  return program;
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
