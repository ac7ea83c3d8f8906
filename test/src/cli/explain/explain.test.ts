import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { explainCommand } from '../../../../src/cli/commands/explain.ts';

async function explainIn(environment: NodeJS.ProcessEnv, ...args: readonly string[]) {
  let text = '';
  const status = await explainCommand(args, environment, { write: (part: string) => (text += part) });
  return { status, text };
}

const explain = (...args: readonly string[]) => explainIn({}, ...args);

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

it('finds the tape of a call in DATA_DIR, and says that a call has none', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'explain-'));
  const callId = '11111111-2222-4333-8444-555555555555';
  const environment = { DATA_DIR: dataDir };
  expect(await explainIn(environment, callId)).toMatchObject({
    status: 1,
    text: expect.stringContaining('has no tape'),
  });
  await cp('fixtures/calls/presence', join(dataDir, 'tapes', callId), { recursive: true });
  expect(await explainIn(environment, callId)).toMatchObject({
    status: 0,
    text: expect.stringContaining('silences: 2'),
  });
});
