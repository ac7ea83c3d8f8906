import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../../caller/caller.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';

const OVERRIDES = {
  base_prompt: 'You speak with Ada.',
  initial_message: 'Hello Ada.',
  llm: { provider: 'openai', model: 'model-of-this-call' },
};

describe('agent_overrides of a staged call', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of cleanUp.splice(0).reverse()) await close();
  });

  it('apply after a restart, are on the tape of the call, and do not affect other calls of the agent', async () => {
    const providers = await startEmulatedProviders({
      listen: { steps: heardLine('Who am I?', 1_500, 2_300) },
      chat: () => textAnswer('You are a caller.'),
    });
    cleanUp.push(providers.close);
    const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
    cleanUp.push(() => rm(dataDir, { recursive: true, force: true }));
    const environment = { ...providers.environment, DATA_DIR: dataDir };

    const before = await startTestService(environment);
    const agent = talker({ record_tape: true, initial_message: 'Hello.', base_prompt: 'You speak with anyone.' });
    const { id: agentId } = await before.api.createAgent(agent);
    const callId = await before.api.stage({
      from_number: FROM,
      to_number: TO,
      agent_id: agentId,
      agent_overrides: OVERRIDES,
    });
    await before.close();

    const test = await startTestService(environment);
    cleanUp.push(test.close);
    const { promise: end, resolve: hangUp } = Promise.withResolvers<void>();
    const report = call({
      target: { host: '127.0.0.1', port: test.sipPort },
      to: TO,
      from: FROM,
      headers: { 'X-Service-Call-Id': callId },
      durationMsMax: 60_000,
      speaksAt: eventually(async () => {
        const [greeting] = (await test.api.call(callId)).transcript ?? [];
        expect(greeting).toMatchObject({ content: 'Hello Ada.', end_time: expect.any(String) });
      }),
      hangUp: { at: end },
    });
    await expect
      .poll(async () => (await test.api.call(callId)).transcript?.map(({ content }) => content), { timeout: 30_000 })
      .toEqual(['Hello Ada.', 'Who am I?', 'You are a caller.']);
    const request = providers.openai.requests.at(-1);
    expect(request?.model).toBe('model-of-this-call');
    expect(JSON.stringify(request?.messages)).toContain('You speak with Ada.');
    expect(JSON.stringify(request?.messages)).not.toContain('You speak with anyone.');
    hangUp();
    await report;
    expect(await test.api.callIn(callId, ['completed'])).toMatchObject({ agent_overrides: OVERRIDES });
    const tape = await readFile(join(dataDir, 'tapes', callId, 'agent.json'), 'utf8');
    expect(z.looseObject({}).parse(JSON.parse(tape))).toMatchObject(OVERRIDES);

    const other = await dialIn(test, agentId);
    await other.said('Hello.');
    await other.hangUp();
    expect(await test.api.callIn(other.callId, ['completed'])).toMatchObject({ agent_overrides: null });
  });
});
