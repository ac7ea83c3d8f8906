import type { AgentConfiguration } from '../../engine/agent/agent-schema.ts';
import type { Expectation } from './expectation.ts';
import type { TestConversations } from './test-file.ts';
import type { Fault, Path } from './yaml-source.ts';

/** Unknown states and tools: an expectation about them would never or always be met. */
export function unknownNames(file: TestConversations, { states }: AgentConfiguration): Fault[] {
  const stateNames = states.map(({ name }) => name);
  const toolNames = states.flatMap(({ tools }) => tools.map(({ name }) => name));
  const functions = states.flatMap(({ tools }) =>
    tools.flatMap(({ type, name }) => (type === 'custom_function' ? [name] : [])),
  );
  const faults: Fault[] = [];
  const checkCanned = (tools: TestConversations['tools'], path: Path) => {
    for (const name of Object.keys(tools)) {
      if (functions.includes(name)) continue;
      faults.push({
        path: [...path, 'tools', name],
        message: `the agent has no custom function of this name${among(functions)}`,
      });
    }
  };
  const check = ({ condition, absent }: Expectation, path: Path) => {
    const known = condition.type === 'state' ? stateNames : condition.type === 'tool' ? toolNames : null;
    if (known === null || !('name' in condition) || known.includes(condition.name)) return;
    const at = [...path, ...(absent ? ['absent'] : []), condition.type];
    faults.push({ path: at, message: `the agent has no ${condition.type} «${condition.name}»${among(known)}` });
  };
  checkCanned(file.tools, []);
  for (const [index, { tools, turns }] of file.conversations.entries()) {
    checkCanned(tools, ['conversations', index]);
    for (const [number, { expect = [] }] of turns.entries()) {
      for (const [at, expectation] of expect.entries())
        check(expectation, ['conversations', index, 'turns', number, 'expect', at]);
    }
  }
  return faults;
}

function among(names: readonly string[]): string {
  return names.length === 0 ? '' : `; it has ${[...new Set(names)].join(', ')}`;
}
