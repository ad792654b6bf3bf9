import { readEnvironment } from "@carillon/kit";
import {
  administer,
  createBouncerDatabase,
  dropDatabase,
  postgresUrl,
  testSecretKey,
  withDatabase,
  type BouncerDatabase,
} from "@carillon/testkit";
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { runCommand } from "./commands.ts";

describe("npm run bouncer", () => {
  let database: BouncerDatabase;
  before(async () => {
    database = await createBouncerDatabase();
  });
  after(() => database.drop());

  const run = (...args: string[]) =>
    runCommand(
      readEnvironment({ BOUNCER_DATABASE_URL: database.url, SECRET_KEY: testSecretKey }),
      args,
    );
  const refusalOf = (...args: string[]) =>
    run(...args).then(
      () => "",
      ({ message }: Error) => message,
    );

  it("adds a server, shows it, and removes it", async () => {
    const realm = randomUUID();
    const added = await run("add-server", "--name", "ours", "--rate", "5", "--realm", realm);
    const [, id = "", key] = /^PUSH_SERVER_ID=(\S+)\nPUSH_SERVER_KEY=(\w{32})$/.exec(added) ?? [];
    expect(key).to.match(/^\w{32}$/);
    const shown = `${id}  ours  5 calls in 60 s, ${realm}, 0 devices`;
    expect(await run("list-servers")).to.equal(shown);
    expect(await run("list-servers")).to.not.include(key);
    await run("add-server");
    await run("add-server", "--rate", "0");
    const lines = (await run("list-servers")).split("\n");
    expect(lines[1]).to.include("  1000 calls in 60 s, any organization, ");
    expect(lines[2]).to.include("  any number of calls in 60 s");
    expect(await run("remove-server", id)).to.equal(`Removed ${id}.`);
    expect(await run("list-servers")).to.not.include(id);
  });

  it("creates a key at first use, and adds others", async () => {
    const first = await run("public-keys");
    expect(Buffer.from(first, "base64")).to.have.length(32);
    const second = await run("add-key");
    expect(await run("public-keys")).to.equal(`${second}\n${first}`);
    await run("remove-key", first);
    expect(await run("public-keys")).to.equal(second);
  });

  it("reports errors in one line", async () => {
    expect(await refusalOf()).to.match(/^npm run bouncer -- COMMAND/);
    expect(await refusalOf("nonsense")).to.match(/^npm run bouncer -- COMMAND/);
    for (const rate of ["-1", "1.5", "many"])
      expect(await refusalOf("add-server", `--rate=${rate}`)).to.match(/^--rate must be/);
    expect(await refusalOf("add-server", "--realm", "5")).to.match(/^--realm must be/);
    expect(await refusalOf("add-server", "--what")).to.match(/--what/);
    expect(await refusalOf("remove-server", "5")).to.match(/^there is no server 5/);
    expect(await refusalOf("remove-server", randomUUID())).to.match(/^there is no server /);
    expect(await refusalOf("remove-key", "AAAA")).to.match(/^there is no key AAAA/);
    const unset = await runCommand(readEnvironment({}), ["list-servers"]).catch(
      (error: Error) => error.message,
    );
    expect(unset).to.match(/^BOUNCER_DATABASE_URL is not set/);
  });

  it("creates and migrates the database", async () => {
    const name = `carillon_bouncer_${randomUUID().replaceAll("-", "")}`;
    const env = readEnvironment({ BOUNCER_DATABASE_URL: withDatabase(postgresUrl(), name) });
    const refusal = await runCommand(env, ["list-servers"]).catch((error: Error) => error.message);
    expect(refusal).to.match(/^BOUNCER_DATABASE_URL: there is no such database/);
    await administer((client) => client.query(`CREATE DATABASE ${name}`));
    const empty = await runCommand(env, ["list-servers"]).catch((error: Error) => error.message);
    expect(empty).to.match(/lacks 1 migration.*npm run bouncer -- migrate/);
    await dropDatabase(name);
    expect(await runCommand(env, ["migrate"])).to.equal("Applied 0001_init.");
    expect(await runCommand(env, ["migrate"])).to.equal("Nothing to apply.");
    expect(await runCommand(env, ["list-servers"])).to.equal("");
    await dropDatabase(name);
  });
});
