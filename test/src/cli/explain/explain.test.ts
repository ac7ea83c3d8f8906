import { expect, it } from 'vitest';
import { explainCommand } from '../../../../src/cli/commands/explain.ts';

async function explain(...args: readonly string[]) {
  let text = '';
  const status = await explainCommand(args, {}, { write: (part: string) => (text += part) });
  return { status, text };
}

it('prints what was said and each silence of a tape with its cause', async () => {
  const { status, text } = await explain('fixtures/calls/presence');
  expect(status).toBe(0);
  expect(text).toMatch(/^ +\d+\.\d\d s {2}agent: /m);
  expect(text).toMatch(/s {4}… .* from the agent to the agent: the user said nothing$/m);
});

it('refuses a folder without a tape, and wrong usage', async () => {
  expect(await explain('fixtures')).toMatchObject({ status: 1, text: expect.stringContaining('agent.json') });
  expect(await explain()).toMatchObject({ status: 2, text: expect.stringContaining('trunkline explain') });
});
