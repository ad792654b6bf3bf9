/** Values that the browser does not store, because storage is refused or full. They last until the tab is closed. */
const memory = new Map<string, string>();

/** Values that this browser keeps for Carillon, as JSON. */
export const storage = {
  read<Value>(key: string): Value | undefined {
    try {
      const text = memory.get(key) ?? localStorage.getItem(prefix + key);
      return text === null ? undefined : (JSON.parse(text) as Value);
    } catch {
      return undefined;
    }
  },

  write(key: string, value: unknown): void {
    const text = JSON.stringify(value);
    try {
      localStorage.setItem(prefix + key, text);
      memory.delete(key);
    } catch {
      memory.set(key, text);
    }
  },

  /** The keys that begin with a text. */
  keys(start: string): string[] {
    const found = [...memory.keys()];
    try {
      for (const key of Object.keys(localStorage))
        if (key.startsWith(prefix)) found.push(key.slice(prefix.length));
    } catch {
      // Only memory has some.
    }
    return found.filter((key) => key.startsWith(start));
  },

  remove(key: string): void {
    memory.delete(key);
    try {
      localStorage.removeItem(prefix + key);
    } catch {
      // Nothing was stored.
    }
  },
};

const prefix = "carillon:";
