import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { allOperations, beforeExamples, curlExample, type Operation } from "@carillon/contract";
import { createFirstOrganization, firstAccounts } from "@carillon/domain";
import { testSite, useDatabase, useGateway, usePictureWorker } from "@carillon/testkit";
import { expect } from "chai";

const run = promisify(execFile);

describe("The examples of the API reference, run by a shell after a first start", function () {
  before("look for curl", function () {
    if (spawnSync("curl", ["--version"]).status !== 0) this.skip();
  });
  const db = useDatabase();
  usePictureWorker(db);
  const gateway = useGateway(db, { app: { deadlineMs: 60_000 } });
  const accounts = firstAccounts(true);
  const known: Record<string, string> = {};
  let home = "";
  const shell = (text: string) =>
    run("bash", ["-c", text], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home, ...known },
      cwd: home,
    });
  before("make the first organization", async () => {
    await createFirstOrganization(db, testSite(), { demo: true, accounts });
    home = await mkdtemp(join(tmpdir(), "carillon-curl-"));
    const folder = join(home, "var", "zuliprc");
    await mkdir(folder, { recursive: true });
    for (const { name, email, apiKey } of accounts)
      await writeFile(join(folder, `${name}.zuliprc`), `[api]\nemail=${email}\nkey=${apiKey}\n`);
    await writeFile(join(folder, "accounts.json"), JSON.stringify(accounts, null, 2));
    // Once for all examples, as a reader would do it.
    const names = [...accounts.map(({ name }) => name.toUpperCase()), "PASSWORD"];
    const prints = names.map((name) => `printf '%s\\n' "$${name}"`);
    const { stdout } = await shell([beforeExamples, ...prints].join("\n"));
    stdout.split("\n").forEach((value, i) => Object.assign(known, { [names[i] ?? ""]: value }));
    // The status of each response, in addition to the line's output.
    await writeFile(join(home, ".curlrc"), 'write-out = "%{stderr}\\n%{http_code}"\n');
  });
  after(() => rm(home, { recursive: true }));

  // An order must list all existing things, so nothing else may have been created before.
  const isOrder = ({ id }: Operation) => id.startsWith("reorder-");
  for (const operation of allOperations.toSorted(
    (a, b) => Number(isOrder(b)) - Number(isOrder(a)),
  )) {
    it(`${operation.id} answers as documented`, async () => {
      const text = curlExample(operation, allOperations, gateway.url);
      const { stdout, stderr } = await shell(text);
      const why = `${text}\n${stdout.slice(0, 2_000)}\n${stderr}`;
      const status = Number(stderr.trim().split("\n").at(-1));
      expect(statusesOf(operation), why).to.include(status);
      if (operation.raw) return;
      const answer = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
      expect(answer["result"], why).to.equal(status === 200 ? "success" : "error");
      expect(answer, why).to.not.have.property("ignored_parameters_unsupported");
    });
  }
});

function statusesOf({ raw, example }: Operation): number[] {
  if (example?.refused) return [example.refused[0]];
  return raw?.map(({ status }) => status) ?? [200];
}
