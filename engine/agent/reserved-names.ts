import type { GraphNote } from './graph-note.ts';

/** Names with a meaning in JavaScript. A JSON body that holds a value of such a name may be refused. */
export const RESERVED_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype'];

interface NamingAgent {
  readonly variables: readonly { readonly name: string }[];
  readonly states: readonly { readonly variables: readonly { readonly name: string }[] }[];
}

/** The declared variables with a reserved name. Versions that were stored with one stay valid. */
export function reservedNameFaults({ states, variables }: NamingAgent): readonly GraphNote[] {
  const faultsOf = (declared: NamingAgent['variables'], path: string): GraphNote[] =>
    declared.flatMap(({ name }, index) =>
      RESERVED_NAMES.includes(name)
        ? [{ path: `${path}variables[${index}].name`, message: `${name} is a reserved name: expected another one` }]
        : [],
    );
  return [...faultsOf(variables, ''), ...states.flatMap((state, at) => faultsOf(state.variables, `states[${at}].`))];
}
