import { expect } from "chai";

import {
  changeDatabaseUrl,
  databaseHosts,
  databaseName,
  databaseUrlProblem,
  urlOfHost,
  wantsWritableServer,
} from "./database-url.ts";

const two = "postgresql://u:p%40x@db1:5433,[::1]/chat?target_session_attrs=read-write&ssl=true";

describe("URLs of several database servers", () => {
  it("are parsed in the form of libpq", () => {
    expect(databaseUrlProblem(two)).to.equal(undefined);
    expect(databaseHosts(two)).to.deep.equal([
      { host: "db1", port: 5433 },
      { host: "::1", port: 5432 },
    ]);
    expect(databaseName(two)).to.equal("chat");
    expect(urlOfHost(two, 1)).to.equal("postgresql://u:p%40x@[::1]/chat?ssl=true");
    expect(wantsWritableServer(two)).to.equal(true);
  });

  it("require a server that accepts writes; with one host only if target_session_attrs says so", () => {
    const one = "postgres://u@db1/chat";
    expect(wantsWritableServer("postgres://u@db1,db2/chat")).to.equal(true);
    expect(wantsWritableServer(one)).to.equal(false);
    expect(wantsWritableServer(`${one}?target_session_attrs=any`)).to.equal(false);
    expect(wantsWritableServer(`${one}?target_session_attrs=primary`)).to.equal(true);
    expect(urlOfHost(one)).to.equal(one);
  });

  it("keep their hosts when another part changes", () => {
    const changed = changeDatabaseUrl("postgres://u@db1:1,db2:2/a?x=y", (one) => {
      one.pathname = "/b";
      one.password = "secret";
    });
    expect(changed).to.equal("postgres://u:secret@db1:1,db2:2/b?x=y");
  });

  const wrong: Array<[url: string, problem: RegExp]> = [
    ["mysql://db1,db2/x", /^must be a URL beginning with postgres/],
    ["db1,db2", /^must be a URL beginning with postgres/],
    ["postgres://db1:0,db2/x", /^has a port that is not a number from 1 to 65535, or lacks an @ /],
    ["postgres://db1:65536,db2/x", /^has a port that is not a number/],
    ["postgres://db1,db2:five/x", /^has a port that is not a number/],
    ["postgres://db1,,db2/x", /^has a comma without a host beside it/],
    ["postgres://db1,/x", /^has a comma without a host beside it/],
    ["postgres://db1,d b/x", /^has an invalid host/],
    ["postgres://::1,db2/x", /^has an invalid host: .* an IPv6 address in brackets/],
    ["postgres://db1,db1:5432/x", /^names db1:5432 twice/],
    [
      `postgres://${Array.from({ length: 11 }, (_, i) => `db${i}`).join()}/x`,
      /^names 11 hosts: give at most 10/,
    ],
    ["postgres://db1,db2/x?target_session_attrs=any", /several hosts and target_session_attrs=any/],
    ["postgres://db1,db2/x?target_session_attrs=standby", /=standby: .* must be read-write/],
    ["postgres://db1/x?target_session_attrs=Read-Write", /=Read-Write: .* must be read-write/],
    ["postgres://u:se/cret@db1,db2/x", /^has an @ after its hosts: write \/, \? and # in a pass/],
  ];
  for (const [url, problem] of wrong)
    it(`refuses ${url}`, () => expect(databaseUrlProblem(url)).to.match(problem));

  it("quote no part of a URL without a host, which may be its password", () => {
    for (const url of ["postgres://carillon:hunter2/db", "postgres://carillon:hun ter2:1/db"])
      expect(databaseUrlProblem(url))
        .to.match(/./)
        .and.not.match(/hun|ter2/);
  });
});
