/** The imports of each file or folder, by path. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

interface Visit {
  readonly node: string;
  readonly rest: Iterator<string>;
}

/**
 * The circles of a graph: its strongly connected components of two nodes or more, each sorted
 * (Tarjan's algorithm, https://doi.org/10.1137/0201010, without recursion).
 */
export function circlesOf(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const circles: string[][] = [];

  const enter = (node: string): Visit => {
    order.set(node, order.size);
    lowest.set(node, order.get(node) ?? 0);
    open.push(node);
    isOpen.add(node);
    return { node, rest: (graph.get(node) ?? new Set<string>()).values() };
  };
  const lower = (node: string, to: number) => lowest.set(node, Math.min(lowest.get(node) ?? 0, to));
  const leave = (node: string) => {
    if (lowest.get(node) !== order.get(node)) return;
    const circle = open.splice(open.lastIndexOf(node));
    for (const member of circle) isOpen.delete(member);
    if (circle.length > 1) circles.push(circle.sort());
  };

  for (const start of graph.keys()) {
    if (order.has(start)) continue;
    const visits = [enter(start)];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const { value: next, done } = visit.rest.next();
      if (done !== true) {
        if (!order.has(next)) visits.push(enter(next));
        else if (isOpen.has(next)) lower(visit.node, order.get(next) ?? 0);
        continue;
      }
      visits.pop();
      leave(visit.node);
      const parent = visits.at(-1);
      if (parent !== undefined) lower(parent.node, lowest.get(visit.node) ?? 0);
    }
  }
  return circles.sort();
}

/** The same graph between folders: `folderOf` returns the folder of a path. Imports inside a folder are omitted. */
export function betweenFolders(graph: ImportGraph, folderOf: (path: string) => string): ImportGraph {
  const folders = new Map<string, Set<string>>();
  for (const [path, imports] of graph) {
    const folder = folderOf(path);
    const targets = folders.get(folder) ?? new Set();
    for (const target of imports) if (folderOf(target) !== folder) targets.add(folderOf(target));
    folders.set(folder, targets);
  }
  return folders;
}
