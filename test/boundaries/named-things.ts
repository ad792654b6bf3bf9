/** Folders at the root of the repository in which texts name files. */
const folders = /^(\.ci|\.githooks|apps|bench|docker|docs|packages|prisma|scripts|test)\//;
/** A placeholder for a name, in capitals, or a pattern for several names. */
const placeholder = /(^|[/.-])[A-Z]{2,}|[*{}…]/;

/** Returns the paths that a text names in code or as link targets, without anchors and placeholders. */
export function pathsIn(text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target);
  const code = [...text.matchAll(/`([^`\n]+)`/g)]
    .flatMap(([, words = ""]) => words.split(/\s+/))
    .filter((word) => folders.test(word));
  const shell = shellLines(text)
    .flatMap((line) => line.split(/\s+/))
    .filter((word) => folders.test(word));
  const all = [...links.filter((target) => !/^[a-z]+:/.test(target)), ...code, ...shell];
  return [...new Set(all)].filter((path) => !placeholder.test(path.replace(/[A-Z]+\.md$/, "")));
}

/** Returns the scripts of package.json that a text names in commands. */
export function npmScriptsIn(text: string): string[] {
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, words = ""]) => words);
  const named = [...code, ...shellLines(text)].flatMap((line) =>
    [...line.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test))/g)].map(
      ([, run, known]) => run ?? known,
    ),
  );
  return [...new Set(named)].filter((name) => name !== undefined);
}

/** Returns the lines of shell blocks, without comments. */
function shellLines(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, lines = ""]) => lines.split("\n"))
    .map((line) => line.replace(/#.*$/, ""));
}
