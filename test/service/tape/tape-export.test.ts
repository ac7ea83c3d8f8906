import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayCommand } from '../../../src/cli/commands/replay.ts';
import { tapeCommand } from '../../../src/cli/commands/tape-export.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const SECRET = 'sk-of-the-customer-12345';

describe('trunkline tape export', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trunkline-export-'));
    providers = await startEmulatedProviders({ listen: { steps: heardLine('Who are you?', 1_500, 2_300) } });
    test = await startTestService({ ...providers.environment, DATA_DIR: join(folder, 'data') });
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (...args: readonly string[]) => {
    let text = '';
    const write = (chunk: string) => {
      text += chunk;
    };
    const status = await tapeCommand(args, { DATA_DIR: test.dataDir }, { write });
    return { status, text };
  };

  it('copies the tape of an ended call, while the service runs or is stopped, and refuses a call in progress', async () => {
    const headers = [{ name: 'authorization', value: SECRET, secret: true }];
    const tool = { type: 'custom_function', name: 'lookup', url: 'https://example.com', headers };
    const agent = await test.api.createAgent(
      talker({ initial_message: 'Hello.', states: [{ name: 'talk', prompt: `Call ${FROM}.`, tools: [tool] }] }),
    );
    const { callId, said, hangUp } = await dialIn(test, agent.id);
    const early = await run('export', callId, join(folder, 'early'));
    expect(early).toEqual({ status: 1, text: `call ${callId} is in_progress: export its tape after its end\n` });
    await said('Very well.');
    await hangUp();
    await test.api.callIn(callId, ['completed']);

    const target = join(folder, 'exported');
    expect(await run('export', callId.toUpperCase(), target)).toEqual({ status: 0, text: `${target}\n` });
    expect((await readdir(target)).toSorted()).toEqual([
      'agent.json',
      'caller.wav',
      'expected.json',
      'tape.jsonl',
      'voice.wav',
    ]);
    for (const name of ['agent.json', 'tape.jsonl', 'expected.json']) {
      const text = await readFile(join(target, name), 'utf8');
      for (const hidden of [SECRET, FROM.slice(1), TO.slice(1)]) expect(text).not.toContain(hidden);
    }
    for (const options of [[], ['--simulate']]) {
      let printed = '';
      const status = await replayCommand([...options, target], { write: (text) => (printed += text) });
      expect(status, printed).toBe(0);
    }

    expect(await run('export', callId, target)).toEqual({ status: 1, text: `${target} already exists\n` });
    await test.service.stop(0);
    expect((await run('export', callId, join(folder, 'after'))).status).toBe(0);
    expect(await readdir(join(folder, 'after'))).toHaveLength(5);
    test = await startTestService({ ...providers.environment, DATA_DIR: test.dataDir });
  });

  it('fails for calls without a tape and for unknown calls, with the reason', async () => {
    const agent = await test.api.createAgent(talker({ record_tape: false }));
    const { callId, report } = await dialIn(test, agent.id, { hangUp: { afterMs: 300 } });
    await report;
    await test.api.callIn(callId, ['completed']);
    const { status, text } = await run('export', callId, join(folder, 'none'));
    expect(status).toBe(1);
    expect(text).toContain(`call ${callId} has no tape: record_tape of its agent was off`);
    const unknown = await run('export', '5f0c2b36-0000-4000-8000-000000000000');
    expect(unknown.status).toBe(1);
    expect(unknown.text).toContain('call 5f0c2b36-0000-4000-8000-000000000000 not found');
    expect(await readdir(folder)).not.toContain('none');
  });

  it.each([[], ['import'], ['export'], ['export', '../../etc'], ['export', 'x', 'y', 'z']])(
    'rejects «%s %s»',
    async (...args) => {
      const { status, text } = await run(...args);
      expect(status).toBe(2);
      expect(text).toContain('trunkline tape export CALL_ID [DIR]');
    },
  );

  it('reports a DATA_DIR without a database', async () => {
    let printed = '';
    const id = '5f0c2b36-0000-4000-8000-000000000000';
    const write = (text: string) => (printed += text);
    expect(await tapeCommand(['export', id], { DATA_DIR: join(folder, 'nothing') }, { write })).toBe(1);
    expect(printed).toContain('is DATA_DIR the one of the service?');
  });
});
