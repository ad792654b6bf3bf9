import { signal } from "@preact/signals";

/** Values that the browser does not store, because storage is refused or full. They last until the tab is closed. */
const memory = new Map<string, string>();
const prefix = "carillon:";

/** Values that this browser keeps for Carillon, as JSON. */
export const storage = {
  /** Whether values are in memory only, because the browser has refused to store them. */
  isRefused: signal(false),

  read<Value>(key: string): Value | undefined {
    try {
      const text = memory.get(key) ?? localStorage.getItem(prefix + key);
      return text === null ? undefined : (JSON.parse(text) as Value);
    } catch {
      return undefined;
    }
  },

  write(key: string, value: unknown): void {
    memory.set(key, JSON.stringify(value));
    storeAll();
  },

  /** The keys that begin with a text. */
  keys(start: string): string[] {
    const found = new Set(memory.keys());
    try {
      for (const key of Object.keys(localStorage))
        if (key.startsWith(prefix)) found.add(key.slice(prefix.length));
    } catch {
      // Only memory has some.
    }
    return [...found].filter((key) => key.startsWith(start));
  },

  remove(key: string): void {
    memory.delete(key);
    try {
      localStorage.removeItem(prefix + key);
    } catch {
      // Nothing was stored.
    }
    storeAll();
  },

  /** Calls `onChange` with each key that begins with `start` when another tab writes or removes its value. */
  listen(start: string, onChange: (key: string) => void, ends: AbortSignal): void {
    const take = ({ key }: StorageEvent) => {
      if (key?.startsWith(prefix + start)) onChange(key.slice(prefix.length));
    };
    addEventListener("storage", take, { signal: ends });
  },
};

/** Tries to store the values that are in memory: there may be room again since the browser refused them. */
function storeAll(): void {
  for (const [key, text] of memory)
    try {
      localStorage.setItem(prefix + key, text);
      memory.delete(key);
    } catch {
      // The next change tries again.
    }
  storage.isRefused.value = memory.size > 0;
}
