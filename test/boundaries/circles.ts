/**
 * Finds the circles of a directed graph (its strongly connected components, by Tarjan's algorithm).
 * @param edges from, to
 * @returns the nodes of each circle, sorted; edges from a node to itself do not count
 */
export function circlesIn(edges: ReadonlyArray<readonly [string, string]>): string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const index = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];

  const visit = (node: string): number => {
    const at = index.size;
    let lowest = at;
    index.set(node, at);
    stack.push(node);
    for (const to of next.get(node) ?? []) {
      if (!index.has(to)) lowest = Math.min(lowest, visit(to));
      else if (stack.includes(to)) lowest = Math.min(lowest, index.get(to) ?? at);
    }
    if (lowest === at) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) found.push(circle.toSorted());
    }
    return lowest;
  };

  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return found;
}
