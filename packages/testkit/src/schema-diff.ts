/// <reference lib="dom" />
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { PrismaPg } from "@prisma/adapter-pg";
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import { Pool, type QueryArrayResult } from "pg";

/**
 * Returns the SQL from the database at `databaseUrl` to the schema file, as `prisma migrate diff` prints it, by Prisma's
 * schema engine in WebAssembly, without downloads. Used to write migrations and to test that migrations and schema agree.
 *
 * @param from `empty` for the whole model; the database is then only connected to
 * @returns a script; a comment when there is no difference
 */
export async function schemaDiff(
  schemaPath: string,
  databaseUrl: string,
  from: "empty" | "database",
): Promise<string> {
  const schema = await readFile(schemaPath, "utf8");
  const files = [{ path: schemaPath, content: schema }];
  const { SchemaEngine } = await loadEngine();
  const engine = await SchemaEngine.new(
    { datamodels: [[schemaPath, schema]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(readableByEngine(databaseUrl)),
  );
  try {
    const result = await engine.diff({
      from:
        from === "empty" ? { tag: "empty" } : { tag: "schemaDatasource", files, configDir: "." },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: null,
      shadowDatabaseUrl: null,
      filters: { externalTables: ["public._prisma_migrations"], externalEnums: [] },
    });
    return result.stdout ?? "";
  } finally {
    engine.free();
  }
}

const charOid = 18;
const textOid = 25;
const charMark = "char:";

/**
 * The engine expects the catalogue's one-byte `"char"` columns as type Character, which the adapter does not know. So
 * this wrapper marks them and passes them through the adapter as text, then sets their type in the adapter's result.
 */
function readableByEngine(databaseUrl: string): SqlMigrationAwareDriverAdapterFactory {
  const pool = new Pool({ connectionString: databaseUrl });
  const query = pool.query.bind(pool) as (config: object) => Promise<QueryArrayResult>;
  const marked = async (config: object): Promise<QueryArrayResult> => {
    const result = await query(config);
    for (const field of result.fields) {
      if (field.dataTypeID === charOid)
        Object.assign(field, { dataTypeID: textOid, name: charMark + field.name });
    }
    return result;
  };
  const factory = new PrismaPg(Object.assign(pool, { query: marked }));
  const connect = async (): Promise<SqlDriverAdapter> => {
    const adapter = await factory.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (sql) => {
      const { columnNames, columnTypes, rows } = await queryRaw(sql);
      return {
        columnNames: columnNames.map((name) => name.replace(charMark, "")),
        columnTypes: columnTypes.map((type, i) =>
          columnNames[i]?.startsWith(charMark) ? ColumnTypeEnum.Character : type,
        ),
        rows,
      };
    };
    return adapter;
  };
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect,
    connectToShadowDb: connect,
  };
}

interface SchemaEngine {
  diff(params: object): Promise<{ stdout: string | null }>;
  free(): void;
}

interface EngineModule {
  SchemaEngine: {
    new: (options: object, log: () => void, adapter: object) => Promise<SchemaEngine>;
  };
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
}

let loaded: Promise<EngineModule> | undefined;

/** A single instance: the module keeps it in a variable, and a second one would get the first one's pointers. */
function loadEngine(): Promise<EngineModule> {
  return (loaded ??= instantiateEngine());
}

/** The package expects a bundler that imports `.wasm`; Node 20 needs the module instantiated by hand. */
async function instantiateEngine(): Promise<EngineModule> {
  const path = createRequire(import.meta.url).resolve(
    "@prisma/schema-engine-wasm/schema_engine_bg",
  );
  const engine = (await import(path)) as EngineModule;
  const { instance } = await WebAssembly.instantiate(
    await readFile(path.replace(/\.js$/, ".wasm")),
    { "./schema_engine_bg.js": engine as unknown as WebAssembly.ModuleImports },
  );
  engine.__wbg_set_wasm(instance.exports);
  (instance.exports["__wbindgen_start"] as () => void)();
  return engine;
}
