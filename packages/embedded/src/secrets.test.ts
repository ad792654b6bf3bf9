import { chownSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

import { deleteSecret, storeSecret, readSecret, type SecretName } from "./secrets.ts";

describe("secrets.json", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-secrets-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("loses nothing when several processes write at once", async () => {
    const names: SecretName[] = ["SECRET_KEY", "POSTGRES_PASSWORD", "POSTGRES_PORT"];
    await storeSecret(folder, "NEXT_SECRET_KEY", "next");
    await Promise.all([
      ...names.map((name) => storeSecret(folder, name, name)),
      deleteSecret(folder, "NEXT_SECRET_KEY"),
    ]);
    for (const name of names) expect(await readSecret(folder, name)).to.equal(name);
    expect(await readSecret(folder, "NEXT_SECRET_KEY")).to.equal(undefined);
    expect(await readdir(folder)).to.deep.equal(["secrets.json"]);
  });

  it("keeps its owner when root changes it", async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const nobody = 65_534;
    await writeFile(join(folder, "secrets.json"), "{}", { mode: 0o600 });
    for (const path of [folder, join(folder, "secrets.json")]) chownSync(path, nobody, nobody);
    await storeSecret(folder, "DASHBOARD_PASSWORD", "x");
    const { uid, gid, mode } = await stat(join(folder, "secrets.json"));
    expect({ uid, gid, mode: mode & 0o777 }).to.deep.equal({
      uid: nobody,
      gid: nobody,
      mode: 0o600,
    });
  });

  it("belongs to the folder's owner when root creates it", async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const nobody = 65_534;
    chownSync(folder, nobody, nobody);
    await storeSecret(folder, "SECRET_KEY", "x");
    expect((await stat(join(folder, "secrets.json"))).uid).to.equal(nobody);
  });
});
