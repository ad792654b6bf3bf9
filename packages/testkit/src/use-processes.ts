import {
  startApp,
  startCarillon,
  startProcess,
  startProgram,
  type AppName,
  type ProcessOptions,
  type TestProcess,
  type Variables,
} from "./processes.ts";

/** Processes of one suite; those still running at its end are killed. */
export interface TestProcesses {
  start(app: AppName, variables: Variables, options?: ProcessOptions): TestProcess;
  /** Starts `carillon` with these command-line arguments. */
  carillon(words: readonly string[], variables: Variables, options?: ProcessOptions): TestProcess;
  script(
    script: string,
    args: readonly string[],
    variables: Variables,
    options?: ProcessOptions,
  ): TestProcess;
  program(
    file: string,
    args: readonly string[],
    variables: Variables,
    options?: ProcessOptions,
  ): TestProcess;
  /** Starts a gateway, and waits until it accepts requests. */
  gateway(variables: Variables): Promise<TestProcess & { url: string }>;
  /** Starts a worker, and waits until it processes jobs. */
  worker(variables: Variables): Promise<TestProcess>;
}

/** Starts processes for the tests of the enclosing `describe`. */
export function useProcesses(): TestProcesses {
  const started: TestProcess[] = [];
  const keep = (made: TestProcess) => {
    started.push(made);
    return made;
  };
  after("kill what still runs", () => Promise.all(started.splice(0).map((one) => one.kill())));
  const start: TestProcesses["start"] = (...given) => keep(startApp(...given));
  return {
    start,
    carillon: (...given) => keep(startCarillon(...given)),
    script: (...given) => keep(startProcess(...given)),
    program: (...given) => keep(startProgram(...given)),
    async gateway(variables) {
      const made = start("gateway", variables);
      const line = await made.waitForLine("gateway started");
      return Object.assign(made, { url: `http://127.0.0.1:${String(line["port"])}` });
    },
    async worker(variables) {
      const made = start("worker", variables);
      await made.waitForLine("worker started");
      return made;
    },
  };
}
