import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { dtmfTones } from '../../rtp-peer/dtmf-tones.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const made = z.looseObject({ id: z.string() });

/** Silence until the call is answered and its first packets arrive, then the tones. */
function late(samples: Int16Array): Int16Array {
  const said = new Int16Array(4_000 + samples.length);
  said.set(samples, 4_000);
  return said;
}

describe('DTMF digits that a user enters', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let trunkId: string;
  let agentId: string;

  beforeAll(async () => {
    providers = await startEmulatedProviders({
      chat: (body) => {
        const entries = JSON.stringify(body).match(/pressed the keys \S+?\]/g) ?? [];
        return textAnswer(`You ${entries.join(' and ').replaceAll(']', '')}.`);
      },
    });
    test = await startTestService(providers.environment);
    agentId = (await test.api.createAgent(talker({ initial_message: 'Which number?', dtmf: { terminator: '#' } }))).id;
    const trunk = { name: 'Carrier', termination_uri: '127.0.0.1:9', allowed_addresses: ['127.0.0.1'] };
    trunkId = (await test.api.requestOk(made, 'POST', '/v1/sip-trunks', trunk)).id;
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  const listenForTones = (inband_dtmf: boolean) =>
    test.api.requestOk(z.unknown(), 'PATCH', `/v1/sip-trunks/${trunkId}`, { inband_dtmf });
  const pressed = async (callId: string) =>
    (await test.api.callIn(callId, ['completed'])).transcript
      ?.filter(({ role }) => role === 'dtmf')
      .map(({ content }) => content);

  const byInfo = (digits: string, atMs: number) => ({ dtmf: [{ atMs, digits, by: 'info' as const }] });

  it.each([
    { way: 'by SIP INFO', inband: false, options: byInfo('42#', 500), keys: '42' },
    { way: 'as tones in the audio', inband: true, options: { audio: late(dtmfTones('42#')) }, keys: '42' },
    {
      way: 'by SIP INFO after tones that the trunk does not listen for',
      inband: false,
      options: { audio: late(dtmfTones('42#')), ...byInfo('7#', 2_000) },
      keys: '7',
    },
  ])('$way form one turn, which the agent answers', async ({ inband, options, keys }) => {
    await listenForTones(inband);
    const { callId, said, hangUp } = await dialIn(test, agentId, options);
    await said(`You pressed the keys ${keys}.`);
    await hangUp();
    expect(await pressed(callId)).toEqual([keys]);
  });
});
