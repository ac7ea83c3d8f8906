import type { GraphNote } from './graph-note.ts';
import { BUILT_IN_VARIABLES, type Variable } from './variable-schema.ts';

interface DeclaringAgent {
  readonly variables: readonly Variable[];
  readonly states: readonly { readonly variables: readonly Variable[] }[];
}

/** The declarations that give a name another type than its first declaration, or than the built-in variable of that name. */
export function variableFaults({ states, variables }: DeclaringAgent): readonly GraphNote[] {
  const declarations = [
    ...variables.map((variable, index) => ({ ...variable, path: `variables[${index}]` })),
    ...states.flatMap((state, at) =>
      state.variables.map((variable, index) => ({ ...variable, path: `states[${at}].variables[${index}]` })),
    ),
  ];
  const first = new Map(BUILT_IN_VARIABLES.map(({ name, type }) => [name, { type, where: 'a built-in variable' }]));
  return declarations.flatMap(({ name, path, type }) => {
    const known = first.get(name);
    if (known === undefined) first.set(name, { type, where: path });
    if (known === undefined || known.type === type) return [];
    return [{ path: `${path}.type`, message: `expected ${known.type}: ${name} has this type as ${known.where}` }];
  });
}
