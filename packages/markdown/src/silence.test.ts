import { slowFragments } from "@carillon/testkit";
import { expect } from "chai";
import { hostileFragments } from "./test-support/hostile-fragments.ts";
import { html } from "./test-support/sample-organization.ts";

/** Returns what is written to the console and to the process's outputs during the work. */
function heard(work: () => void): string {
  let text = "";
  const streams = [process.stdout, process.stderr];
  const own = streams.map((stream) => stream.write.bind(stream));
  const console_ = {
    log: console.log,
    info: console.info,
    debug: console.debug,
    warn: console.warn,
    error: console.error,
  };
  const listen = (...words: unknown[]): void => void (text += words.join(" "));
  for (const stream of streams) stream.write = (chunk) => ((text += String(chunk)), true);
  Object.assign(console, { log: listen, info: listen, debug: listen, warn: listen, error: listen });
  process.on("warning", listen);
  try {
    work();
  } finally {
    Object.assign(console, console_);
    streams.forEach((stream, n) => (stream.write = own[n]!));
    process.off("warning", listen);
  }
  return text;
}

describe("Log output of the renderer", () => {
  it("is empty for random TeX", () => {
    for (const tex of [
      "❤",
      "漢 \\text{секрет}",
      "\\message{hello}x",
      "\\errmessage{hello}x",
      "\\show\\frac",
      "\\show{hello}",
      "\\def\\a{\\message{hello}}\\a\\a",
      "\\begin{matrix}\\message{hello}❤",
      "\\href{javascript:hello}{x}",
      "\\unknown{hello}",
      "x% hello",
      "\\u0000\\ud800",
    ]) {
      for (const text of [`$$${tex}$$`, `\`\`\`math\n${tex}\n\`\`\``])
        expect(
          heard(() => html(text)),
          text,
        ).to.equal("");
    }
  });

  it("is empty for random texts", () => {
    expect(
      heard(() =>
        [...hostileFragments, ...slowFragments].forEach((one) =>
          html(`a ${one} b ${one.repeat(50)}`),
        ),
      ),
    ).to.equal("");
  });

  it("leaves the console unchanged, also after invalid TeX", () => {
    const { log, warn, error } = console;
    for (const text of ["$$x$$", "$$\\frac$$", "$$\\message{a}\\nothing$$"]) html(text);
    expect({ log, warn, error }).to.deep.equal({
      log: console.log,
      warn: console.warn,
      error: console.error,
    });
    expect(heard(() => console.warn("heard"))).to.equal("heard");
  });
});
