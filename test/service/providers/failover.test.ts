import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { replayCommand } from '../../../src/cli/commands/replay.ts';
import { results } from '../../providers/deepgram/listen-messages.ts';
import { errorAnswer, textAnswer } from '../../providers/openai/chat-script.ts';
import { EMULATED_MS_PER_CHARACTER } from '../../providers/speech/speak-answer.ts';
import { rootMeanSquare } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const RETRY_BUDGET_MS = 8_000;
const ANSWER = 'I am the agent who has quite something to say to you.';
/** Quieter than speech and without repetition, so that the test can locate a part that is sent again. */
const MURMUR = Int16Array.from({ length: 80_000 }, (_, n) => (((n * n * 31 + n * 17) % 8_191) % 97) - 48);

/** The transcript lines of an ended call. */
async function spokenLines(test: TestService, callId: string) {
  const ended = await test.api.callIn(callId, ['completed'], 30_000);
  const lines = ended.transcript?.filter(({ role }) => role === 'agent' || role === 'user');
  return { lines: lines?.map(({ role, content }) => `${role}: ${content}`), reason: ended.end_reason };
}

describe('a call whose transcriber, model and voice all fail', () => {
  let providers: EmulatedProviders;
  let test: TestService;

  beforeAll(async () => {
    const broken = new Set<string>();
    const times = { startMs: 1_500, endMs: 2_300 };
    providers = await startEmulatedProviders({
      keepAudio: true,
      listenTo: (nth) => ({
        steps:
          nth === 0
            ? [
                {
                  audioMs: 2_100,
                  action: { type: 'send', message: results('Who are', { startMs: 1_500, endMs: 2_000 }) },
                },
                { audioMs: 2_200, action: { type: 'reset' } },
              ]
            : [
                {
                  // At the end of the words: on a slow machine a later result could exceed the bound of an unfinished turn.
                  audioMs: times.endMs,
                  action: {
                    type: 'send',
                    message: results('Who are you?', { ...times, isFinal: true, speechFinal: true }),
                  },
                },
              ],
      }),
      chat: (body) => (body.model === 'fallback' ? textAnswer(ANSWER) : errorAnswer(500)),
      // The voice fails after half a second of the answer and refuses the rest once. The fallback voice speaks the rest.
      speak: (text) => {
        const isFirst = text !== 'Hello to you all.' && !broken.has(text);
        broken.add(text);
        if (!isFirst) return {};
        return { chunkBytes: 4_096, breakBy: 'reset', breakAfterChunks: text === ANSWER ? 1 : 0 };
      },
    });
    test = await startTestService(providers.environment);
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  it('continues: no user speech is lost, no agent speech is repeated, and its tape replays', async () => {
    const agent = await test.api.createAgent(
      talker({
        initial_message: 'Hello to you all.',
        record_tape: true,
        fallbacks: { llm: [{ model: 'fallback' }], voice: [{ provider: 'deepgram', name: 'aura-2-luna-en' }] },
      }),
    );
    const { callId, said, hangUp } = await dialIn(test, agent.id, { audio: MURMUR, speaksAfter: 'Hello to you all.' });
    await said(ANSWER);
    await hangUp();
    expect(await spokenLines(test, callId)).toEqual({
      lines: ['agent: Hello to you all.', 'user: Who are you?', `agent: ${ANSWER}`],
      reason: 'caller_hangup',
    });
    const { deepgram, openai } = providers;
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = deepgram.listens.map(({ audio }) =>
      Buffer.concat([...audio]),
    );
    // The second stream received again all audio without a final, from 1.5 s before the first word.
    expect(deepgram.listens).toHaveLength(2);
    expect(first.length).toBeGreaterThan(2_200 * 8 - 1_000);
    const from = first.indexOf(second.subarray(0, 2_000));
    expect(from).toBeGreaterThanOrEqual(0);
    expect(from).toBeLessThan(500 * 8);
    expect(second.subarray(0, first.length - from).equals(first.subarray(from))).toBe(true);
    // A request ahead of the turn's end may have failed too: it does not count as a failure of the model.
    const models = openai.requests.map(({ model }) => model);
    expect([...new Set(models)]).toEqual(['gpt-4.1-mini', 'fallback']);
    expect(models.filter((model) => model === 'fallback')).toHaveLength(1);
    const rest = 'agent who has quite something to say to you.';
    expect(deepgram.speaks.map(({ query, texts }) => [query.get('model'), texts])).toEqual([
      ['aura-2-thalia-en', ['Hello to you all.', ANSWER]],
      ['aura-2-thalia-en', [rest]],
      ['aura-2-luna-en', [rest]],
    ]);
    let printed = '';
    const status = await replayCommand([join(test.dataDir, 'tapes', callId)], { write: (text) => (printed += text) });
    expect(status, printed).toBe(0);
  });
});

describe('a call without a working voice', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let isDead = false;

  beforeAll(async () => {
    providers = await startEmulatedProviders({
      listen: { steps: heardLine('Who are you?', 1_500, 2_300) },
      refuse: (path) => (isDead && path === '/v1/speak' ? { status: 503 } : undefined),
    });
    test = await startTestService({ ...providers.environment, PHRASE_CACHE_MB: '8' });
  });
  afterEach(() => {
    isDead = false;
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  it('greets and apologises with speech that an earlier call cached', async () => {
    const agent = await test.api.createAgent(
      talker({ initial_message: 'Good day.', on_provider_failure: { message: 'We are sorry. Please call again.' } }),
    );
    const healthy = await dialIn(test, agent.id, { speaksAfter: 'Good day.' });
    await eventually(async () => expect(await readdir(join(test.dataDir, 'phrases'))).toHaveLength(8));
    await healthy.said('Very well.');
    await healthy.hangUp();
    expect((await spokenLines(test, healthy.callId)).lines).toEqual([
      'agent: Good day.',
      'user: Who are you?',
      'agent: Very well.',
    ]);
    // The phrase cache synthesises on another socket.
    expect(providers.deepgram.speaks.map(({ texts }) => texts)).toEqual([
      ['Good day.', 'Very well.'],
      [
        'We are sorry.',
        'Please call again.',
        'I am sorry, something went wrong on our side.',
        'Please call again a little later.',
        'Goodbye.',
        'One moment, please.',
        'One moment please, I am still on it.',
      ],
    ]);

    isDead = true;
    const { callId, said, hangUp, report } = await dialIn(test, agent.id, { speaksAfter: 'Good day.' });
    await said('We are sorry. Please call again.');
    await hangUp();
    const { heard } = await report;
    // The call did not end: the voice may recover.
    expect(await spokenLines(test, callId)).toEqual({
      lines: ['agent: Good day.', 'user: Who are you?', 'agent: We are sorry. Please call again.'],
      reason: 'caller_hangup',
    });
    expect(providers.deepgram.speaks).toHaveLength(2);
    const loud = [...heard.keys()].filter((at) => at % 160 === 0 && rootMeanSquare(heard.subarray(at, at + 160)) > 500);
    // The greeting and the apology.
    const expectedMs =
      EMULATED_MS_PER_CHARACTER * ('Good day.'.length + 'We are sorry.'.length + 'Please call again.'.length);
    expect(Math.abs(loud.length * 20 - expectedMs)).toBeLessThan(200);
  });

  it('ends without speech after the retries if nothing is cached, and reports provider and cause', async () => {
    const agent = await test.api.createAgent(
      talker({
        initial_message: 'This greeting was never spoken before.',
        initial_message_delay: 1,
        voice: { provider: 'deepgram', name: 'aura-2-luna-en' },
      }),
    );
    isDead = true;
    const { callId, report } = await dialIn(test, agent.id);
    const { endedMs, answeredMs } = await report;
    const ended = await test.api.callIn(callId, ['completed'], 30_000);
    expect(ended.end_reason).toBe('voice_error');
    expect(ended.metrics).toHaveProperty(
      'end_detail',
      'deepgram unavailable (503): failed several times in a row: the connection was refused with HTTP status 503',
    );
    // The delay of the greeting, the retry budget, and the attempts of the apologies.
    expect(endedMs - (answeredMs ?? 0)).toBeLessThan(1_000 + RETRY_BUDGET_MS + 3_000);
  });
});
