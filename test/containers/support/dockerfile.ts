import { execFile } from "node:child_process";
import { cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** An instruction of a Dockerfile, with its continuation lines. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The result of the last stage: a folder, and how a container is started. */
export interface BuiltImage {
  /** The stage's root folder; the image's `/app` is its subfolder `app`. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly healthCheck: readonly string[];
  readonly command: readonly string[];
  /** Commands that were not run, because they change the base image's system and not the folder. */
  readonly leftOut: readonly string[];
}

export function instructionsOf(text: string): Instruction[] {
  const whole = text.replace(/^\s*#.*\n/gm, "").replace(/\\\n/g, " ");
  return whole
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => ({ name: line.split(/\s/, 1)[0] ?? "", rest: line.replace(/^\S+\s+/, "") }));
}

/**
 * Builds an image like `docker build`, but without the base image's system: every stage is a folder, and its commands
 * run there with this machine's programs, preceded by `path`.
 * @param context the build context, without the files that .dockerignore excludes
 * @param into an empty folder
 */
export async function build(
  file: string,
  context: string,
  into: string,
  path: string,
): Promise<BuiltImage> {
  const stages = new Map<string, string>();
  let stage = freshStage(into, "0");
  for (const { name, rest } of instructionsOf(await readFile(file, "utf8"))) {
    switch (name) {
      case "FROM": {
        const as = / AS (\S+)$/.exec(rest)?.[1] ?? String(stages.size);
        stage = freshStage(into, as);
        stages.set(as, stage.root);
        await mkdir(stage.root, { recursive: true });
        break;
      }
      case "WORKDIR":
        stage.workdir = rest;
        await mkdir(join(stage.root, rest), { recursive: true });
        break;
      case "ENV":
        for (const [, key = "", value = ""] of rest.matchAll(/(\w+)=(\S+)/g)) {
          stage.environment[key] = value;
        }
        break;
      case "COPY":
        await copy(rest, stage, stages, context);
        break;
      case "RUN":
        await execute(rest.replace(/^--mount=\S+\s+/, ""), stage, path);
        break;
      case "USER":
        stage.user = rest;
        break;
      case "HEALTHCHECK":
        stage.healthCheck = list(rest.replace(/^.* CMD /, ""));
        break;
      case "CMD":
        stage.command = list(rest);
        break;
      case "EXPOSE":
        break;
      default:
        throw new Error(`the instruction ${name} is not supported`);
    }
  }
  return stage;
}

interface Stage {
  root: string;
  workdir: string;
  environment: Record<string, string>;
  user: string;
  healthCheck: string[];
  command: string[];
  leftOut: string[];
}

function freshStage(into: string, name: string): Stage {
  const root = join(into, `stage-${name}`);
  return {
    root,
    workdir: "/",
    environment: {},
    user: "root",
    healthCheck: [],
    command: [],
    leftOut: [],
  };
}

async function copy(
  rest: string,
  stage: Stage,
  stages: ReadonlyMap<string, string>,
  context: string,
): Promise<void> {
  const parts = rest.split(/\s+/);
  const from = /^--from=(\S+)$/.exec(parts[0] ?? "")?.[1];
  const [source = "", target = ""] = from ? parts.slice(1) : parts;
  const base = from ? stages.get(from) : context;
  if (base === undefined) throw new Error(`there is no stage ${from}`);
  await cp(join(base, source), join(stage.root, stage.workdir, target), { recursive: true });
}

async function execute(command: string, stage: Stage, path: string): Promise<void> {
  // Absolute paths would be paths of this machine.
  if (/\s\/\w/.test(command)) {
    stage.leftOut.push(command);
    return;
  }
  const env: Record<string, string | undefined> = {
    ...process.env,
    ...stage.environment,
    PATH: `${path}:${process.env["PATH"]}`,
  };
  // Uses this machine's programs in place of the base image's.
  if (env["PRISMA_SCHEMA_ENGINE_BINARY"]) env["PRISMA_SCHEMA_ENGINE_BINARY"] = process.execPath;
  await run("sh", ["-c", command], {
    cwd: join(stage.root, stage.workdir),
    env,
    maxBuffer: 64 * 2 ** 20,
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${command}: ${error.message}\n${error.stdout}\n${error.stderr}`);
  });
}

function list(text: string): string[] {
  return JSON.parse(text) as string[];
}

/** Copies a repository as `docker build` does: without the files that .dockerignore excludes. */
export async function contextOf(repository: string, into: string): Promise<void> {
  const ignored = (await readFile(join(repository, ".dockerignore"), "utf8"))
    .split("\n")
    .filter(Boolean);
  const patterns = ignored.map(
    (line) =>
      new RegExp(
        `^${line
          .replace(/[.]/g, "\\.")
          .replace(/^\*\*\//, "(.*/)?")
          .replace(/(?<![.)])\*/g, "[^/]*")}$`,
      ),
  );
  await mkdir(dirname(into), { recursive: true });
  await cp(repository, into, {
    recursive: true,
    filter(path) {
      const relative = path.slice(repository.length).replace(/^\//, "");
      return relative === "" || !patterns.some((pattern) => pattern.test(relative));
    },
  });
}
