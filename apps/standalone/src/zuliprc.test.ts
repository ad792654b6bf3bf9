import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstAccounts } from "@carillon/domain";
import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { CredentialFiles } from "./zuliprc.ts";

describe("the credential files", () => {
  it("return what was written, readable by their owner only", async () => {
    const line = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => /^.+$/.test(text));
    await holds(
      fc.asyncProperty(line, fc.string({ minLength: 1 }), async (email, fullName) => {
        const folder = await mkdtemp(join(tmpdir(), "carillon-zuliprc-"));
        const files = new CredentialFiles(folder);
        const accounts = firstAccounts(true, { email, fullName });
        await files.prepare(accounts, "http://chat.test");
        expect(await files.waiting()).to.deep.equal(accounts);
        await files.publish();
        const config = await files.curlConfig("owner");
        const [, quoted = ""] =
          /^user = "(.*)"\n$/.exec(await readFile(config ?? "", "utf8")) ?? [];
        expect(quoted.replaceAll(/\\(.)/g, "$1")).to.equal(`${email}:${accounts[0]?.apiKey}`);
        expect((await stat(config ?? "")).mode & 0o777).to.equal(0o600);
        for (const { name, email: own, apiKey } of accounts)
          expect(await files.credentials(name)).to.deep.equal({ email: own, key: apiKey });
        const file = join(folder, "zuliprc", "owner.zuliprc");
        expect((await stat(file)).mode & 0o777).to.equal(0o600);
        expect(await readFile(file, "utf8")).to.match(/\nsite=http:\/\/chat\.test\n$/);
        await rm(folder, { recursive: true });
      }),
      0.1,
    );
  });
});
