import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { whenNeeded } from "@carillon/kit";

import { composed } from "./compose.ts";
import type { TestableMailer } from "./mail.ts";

/**
 * Creates a mailer for installations without a mail server: each mail becomes a file `ID.eml`, which mail programs open.
 * Sending a mail again replaces its file.
 * @param folder created with the first mail; readable by this user only, like its files
 */
export function fileMailer(folder: string, from: string): TestableMailer {
  const transport = whenNeeded(async () => {
    const { createTransport } = await import("./nodemailer.ts");
    return createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  });
  return {
    about: `as files in ${folder}`,
    async verify() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    },
    async send(mail) {
      const open = await transport();
      const { message } = await open.sendMail(composed(mail, from));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${mail.id}.eml`);
      await writeFile(`${path}.part`, message, { mode: 0o600 });
      await rename(`${path}.part`, path);
    },
  };
}
