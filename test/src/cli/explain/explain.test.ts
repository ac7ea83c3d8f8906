import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { explainCommand } from '../../../../src/cli/commands/explain.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { storeTimelineCall, TIMELINE_CALL_ID } from '../../api/timeline/timeline-call.ts';
import { START_MS, storeAgent, temporaryFolder } from '../../storage/temporary-database.ts';

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
  expect(await explain('nope')).toEqual({
    status: 1,
    text: 'nope is neither a call nor a tape: give the id of a call, which is a UUID, or a folder that exists\n',
  });
  expect(await explain()).toMatchObject({ status: 2, text: expect.stringContaining('trunkline explain') });
});

it('finds the tape of a call in DATA_DIR without a database, and says what is missing', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'explain-'));
  const callId = '11111111-2222-4333-8444-555555555555';
  const environment = { DATA_DIR: dataDir };
  expect(await explainIn(environment, callId)).toMatchObject({
    status: 1,
    text: expect.stringContaining('there is no database'),
  });
  await cp('fixtures/calls/presence', join(dataDir, 'tapes', callId), { recursive: true });
  expect(await explainIn(environment, callId)).toMatchObject({
    status: 0,
    text: expect.stringContaining('silences: 2'),
  });
});

it('explains a call of the database beside the service, without a tape', async () => {
  const dataDir = await temporaryFolder();
  const database = await openDatabase({ dataDir });
  onTestFinished(() => database.close());
  const repositories = createRepositories(database);
  await repositories.organizations.ensureDefault(START_MS);
  await storeTimelineCall(repositories, await storeAgent(database));
  const environment = { DATA_DIR: dataDir };
  const { status, text } = await explainIn(environment, TIMELINE_CALL_ID);
  expect(text).toBe(
    [
      '    0.30 s  agent: Hello, how can',
      '    1.80 s  user: A table for four.',
      '    4.00 s    … 2.60 s from the user to the agent: 2.10 s of 2.60 s: the model was slow (first token after 2.00 s, first sentence or tool call after 2.10 s)',
      '    6.40 s  tool_call: find_table',
      '    7.40 s    … 2.60 s from the agent to the agent: 2.40 s of 2.60 s: tool find_table ran 3.40 s, filler played',
      '    9.80 s  tool_response: find_table {"free":true}',
      '   10.00 s  state_transition: booking',
      '   14.00 s  dtmf: 1',
      'silences: 2',
      '',
    ].join('\n'),
  );
  expect(status).toBe(0);
  const unknown = await explainIn(environment, '11111111-2222-4333-8444-555555555555');
  expect(unknown).toMatchObject({ status: 1, text: expect.stringContaining('not found') });
});
