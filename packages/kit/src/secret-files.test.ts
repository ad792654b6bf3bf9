import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { childEnvironment } from "./child-environment.ts";
import { readEnvironment, secretNames } from "./environment.ts";
import { StartupError } from "./startup-error.ts";

describe("secrets in files", () => {
  const secret = "a secret of thirty-two letters and more";
  let folder: string;

  before(async () => (folder = await mkdtemp(join(tmpdir(), "carillon-secrets-"))));
  after(() => rm(folder, { recursive: true }));

  const file = async (text: string) => {
    const path = join(folder, `secret-${Math.floor(process.hrtime()[1])}`);
    await writeFile(path, text);
    return path;
  };
  const refusal = (source: Record<string, string>) => {
    try {
      readEnvironment(source);
    } catch (error) {
      expect(error).to.be.instanceOf(StartupError);
      return (error as StartupError).message;
    }
    throw new Error("it was not refused");
  };

  it("are read like the variable itself, without the line end", async () => {
    const env = readEnvironment({ SECRET_KEY_FILE: await file(`${secret}\n`) });
    expect(env.SECRET_KEY).to.equal(secret);
  });

  it("are supported for every secret variable", async () => {
    const url = "postgres://carillon:secret@db.example/carillon";
    const values: Record<string, string> = {
      DATABASE_URL: url,
      DATABASE_DIRECT_URL: url,
      BOUNCER_DATABASE_URL: url,
      REDIS_URL: "rediss://:secret@cache.example",
      SMTP_URL: "smtps://me:secret@mail.example",
      SECRET_KEY: secret,
    };
    for (const name of secretNames) {
      const value = values[name] ?? "secret";
      // The direct address has no meaning without that of the pooler.
      const others = name === "DATABASE_DIRECT_URL" ? { DATABASE_URL: url } : {};
      const env = readEnvironment({ ...others, [`${name}_FILE`]: await file(value) });
      expect(env[name], name).to.equal(value);
    }
  });

  it("are validated like the variable, with errors that name it", async () => {
    expect(refusal({ SECRET_KEY_FILE: await file("short") })).to.match(
      /^SECRET_KEY must have at least 32 characters/,
    );
  });

  it("are refused beside the variable, and when missing, empty or too large", async () => {
    const path = await file(secret);
    expect(refusal({ SECRET_KEY_FILE: path, SECRET_KEY: secret })).to.equal(
      "SECRET_KEY_FILE is set, and SECRET_KEY too: set one of them",
    );
    expect(refusal({ SECRET_KEY_FILE: join(folder, "none") })).to.match(
      /^SECRET_KEY_FILE \S+none cannot be read: ENOENT/,
    );
    expect(refusal({ SECRET_KEY_FILE: folder })).to.match(
      /^SECRET_KEY_FILE .* cannot be read: EISDIR/,
    );
    expect(refusal({ SECRET_KEY_FILE: await file(" \n") })).to.match(
      /^SECRET_KEY_FILE .* is empty$/,
    );
    expect(refusal({ SECRET_KEY_FILE: await file("x".repeat(65_537)) })).to.match(
      /^SECRET_KEY_FILE .* cannot be read: it has more than 65536 bytes, which no secret has$/,
    );
    // It reports no size, and has no end.
    expect(refusal({ SECRET_KEY_FILE: "/dev/zero" })).to.match(/more than 65536 bytes/);
  });

  it("insert a password with any characters into the database URL", async () => {
    const password = await file("p@ss/w:rd?#é");
    const env = readEnvironment({
      DATABASE_URL: "postgresql://carillon@db.example:5432/carillon?sslmode=require",
      BOUNCER_DATABASE_URL: "postgresql://carillon@db.example/bouncer",
      DATABASE_PASSWORD_FILE: password,
    });
    for (const url of [env.DATABASE_URL, env.BOUNCER_DATABASE_URL]) {
      expect(decodeURIComponent(new URL(url!).password)).to.equal("p@ss/w:rd?#é");
    }
    expect(new URL(env.DATABASE_URL!).search).to.equal("?sslmode=require");
    const twice = { DATABASE_URL: "postgresql://a:b@db.example/c", DATABASE_PASSWORD: "d" };
    expect(refusal(twice)).to.equal(
      "DATABASE_PASSWORD is set, and DATABASE_URL has a password too: give one of them",
    );
  });

  it("are not passed to a child that gets the value itself", () => {
    process.env["DATABASE_URL_FILE"] = "/run/secrets/database-url";
    try {
      const child = childEnvironment({ DATABASE_URL: "postgresql://db.example/other" });
      expect(child["DATABASE_URL_FILE"]).to.equal(undefined);
      expect(childEnvironment({})["DATABASE_URL_FILE"]).to.equal("/run/secrets/database-url");
    } finally {
      delete process.env["DATABASE_URL_FILE"];
    }
  });
});
