import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Whether a program is installed; CI machines have all of them. */
export function hasProgram(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Makes a certificate for `localhost` in a folder, and returns the paths of its files. */
export function makeCertificate(folder: string): {
  readonly key: string;
  readonly certificate: string;
} {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=localhost", "-days", "2", "-nodes"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...subject, ...files], {
    stdio: "ignore",
  });
  return { key, certificate };
}

/**
 * Writes a configuration of nginx that serves `sites`, the contents of an operator's file, and keeps all of its files in the
 * folder. Returns the command that runs it.
 */
export async function nginxCommand(folder: string, sites: string): Promise<string[]> {
  await writeFile(join(folder, "sites.conf"), sites);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off;\n${process.getuid?.() === 0 ? "user root;\n" : ""}pid ${folder}/nginx.pid;
error_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\ninclude ${folder}/sites.conf;\n}\n`,
  );
  return ["nginx", "-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")];
}
