import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAiVoice, type OpenAiVoice } from '../../../adapters/openai/voice.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { VoiceEvent, VoiceOptions } from '../../../engine/ports/voice.ts';
import {
  type OpenAiSpeechEmulator,
  type SpeechAnswer,
  type SpeechBody,
  startOpenAiSpeechEmulator,
} from '../../providers/openai/speech-emulator.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { ALL_FAILURES } from '../contract/failure.ts';
import { type VoiceScenario, voiceContract } from '../contract/voice.ts';
import { contractAnswer, contractRefusal, deadlinesFor, WIDE_DEADLINES } from '../contract/voice-responses.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
const LINEAR16_24K: AudioFormat = { encoding: 'linear16', sampleRateHz: 24_000 };
function answerFor(body: SpeechBody, scenario: VoiceScenario): SpeechAnswer {
  const refusal = contractRefusal(scenario);
  const { headers } = refusal ?? {};
  if (refusal !== undefined) {
    return {
      status: refusal.status,
      error: { message: 'Incorrect API key provided: sk-emulated-speech-key' },
      ...(headers === undefined ? {} : { headers }),
    };
  }
  if (scenario === 'no_answer') return { breakBy: 'stall' };
  const answer = contractAnswer(body.input, scenario);
  return scenario === 'malformed' ? { headers: { 'content-type': 'audio/mpeg' } } : answer;
}

voiceContract(
  'openai',
  async (scenario) => {
    const emulator = await startOpenAiSpeechEmulator((body) => answerFor(body, scenario));
    if (scenario === 'refused_connection') await emulator.close();
    const voice = createOpenAiVoice({ ...access(emulator), normalisesText: true }, deadlinesFor(scenario));
    return {
      voice,
      format: MULAW,
      secret: emulator.apiKey,
      requestCount: () => emulator.requests.length,
      // The connection pool keeps idle connections, so requests are counted instead.
      openSockets: () => emulator.activeRequests,
      close: async () => {
        await voice.close();
        await waitFor(() => expect(emulator.openSockets).toBe(0));
        if (scenario !== 'refused_connection') await emulator.close();
      },
    };
  },
  ALL_FAILURES,
);

function access({ baseUrl, apiKey }: OpenAiSpeechEmulator) {
  return { provider: 'openai', baseUrl, apiKey, model: 'gpt-4o-mini-tts' };
}

describe('openai voice', () => {
  let emulator: OpenAiSpeechEmulator | undefined;
  let voice: OpenAiVoice | undefined;

  afterEach(async () => {
    await voice?.close();
    await emulator?.close();
  });

  async function open(
    answer: (body: SpeechBody) => SpeechAnswer,
    options: Partial<VoiceOptions> = {},
    normalisesText = true,
  ) {
    const started = await startOpenAiSpeechEmulator(answer);
    const openedVoice = createOpenAiVoice({ ...access(started), normalisesText }, WIDE_DEADLINES);
    emulator = started;
    voice = openedVoice;
    const log = new EventLog<VoiceEvent>();
    const stream = log.call(() =>
      openedVoice.open(
        { provider: 'openai', name: 'alloy', language: 'en', speed: 1, format: MULAW, ...options },
        log.emit,
      ),
    );
    return { emulator: started, log, stream };
  }

  it('requests raw samples with instructions and speed, and emits them in the format of the response', async () => {
    const { emulator, log, stream } = await open(() => ({}), { speed: 1.25, instructions: 'Whisper.' });
    stream.speak(0, 'Yes.');
    await log.until('done');
    expect(emulator.requests).toEqual([
      {
        model: 'gpt-4o-mini-tts',
        voice: 'alloy',
        input: 'Yes.',
        response_format: 'pcm',
        speed: 1.25,
        instructions: 'Whisper.',
      },
    ]);
    expect(log.events[0]).toMatchObject({ type: 'audio', format: LINEAR16_24K });
    stream.close();
  });

  it('opens the connection in advance and reuses it', async () => {
    const { emulator, log, stream } = await open(() => ({}));
    await waitFor(() => expect(emulator.connections).toBe(1));
    stream.speak(0, 'Yes.');
    await log.until('done');
    const { connections } = emulator;
    for (let segment = 1; segment < 5; segment++) {
      stream.speak(segment, 'Yes.');
      await log.until('done', segment + 1);
    }
    expect(emulator.connections).toBe(connections);
    stream.close();
  });

  it('a cancel closes its connection, and the next segment uses the idle one', async () => {
    const stalled: SpeechAnswer = { breakBy: 'stall', breakAfterChunks: 1 };
    const { emulator, log, stream } = await open((body) => (body.input === 'Stalled.' ? stalled : {}));
    // The connection that was opened in advance serves the first segment.
    await waitFor(() => expect(emulator.connections).toBe(1));
    await waitFor(() => expect(emulator.activeRequests).toBe(0));
    await settle();
    stream.speak(0, 'Stalled.');
    await log.until('audio');
    const other = new EventLog<VoiceEvent>();
    const options: VoiceOptions = { provider: 'openai', name: 'alloy', language: 'en', speed: 1, format: MULAW };
    const second = other.call(() => voice?.open(options, other.emit));
    second?.speak(0, 'Yes.');
    await other.until('done');
    stream.cancel();
    await waitFor(() => expect(emulator.activeRequests).toBe(0));
    const { connections } = emulator;
    stream.speak(1, 'Yes.');
    await log.until('done');
    expect(emulator.connections).toBe(connections);
    stream.close();
    second?.close();
  });

  it('requests the next segment while one is playing, and no further one', async () => {
    const { emulator, log, stream } = await open((body) =>
      body.input === 'One.' ? { breakBy: 'stall', breakAfterChunks: 1 } : {},
    );
    for (const [segment, text] of ['One.', 'Two.', 'Three.'].entries()) stream.speak(segment, text);
    await log.until('audio');
    await waitFor(() => expect(emulator.requests.map((body) => body.input)).toEqual(['One.', 'Two.']));
    await settle();
    expect(log.events.every((event) => event.segment === 0)).toBe(true);
    stream.cancel();
    await waitFor(() => expect(emulator.activeRequests).toBe(0));
    expect(emulator.requests).toHaveLength(2);
    stream.close();
  });

  it('plays a WAV response without its header', async () => {
    const header = Buffer.from(
      '524946462400000057415645666d7420100000000100010080bb000000770100020010006461746104000000',
      'hex',
    );
    header.writeUInt32LE(16_000, 24);
    const audio = Buffer.concat([header, Buffer.from([1, 2, 3, 4])]);
    const { log, stream } = await open(() => ({ audio, chunkBytes: 5, headers: { 'content-type': 'audio/wav' } }));
    stream.speak(0, 'Yes.');
    await log.until('done');
    const chunks = log.events.flatMap((event) => (event.type === 'audio' ? [event] : []));
    expect(Buffer.concat(chunks.map((event) => event.audio))).toEqual(Buffer.from([1, 2, 3, 4]));
    expect(chunks[0]?.format).toEqual({ encoding: 'linear16', sampleRateHz: 16_000 });
    stream.close();
  });

  it.each([
    ['audio/pcm;rate=22050', 22_050],
    ['audio/L16; channels=1; rate=16000', 16_000],
    ['audio/pcm;rate=32000', 32_000],
    ['audio/pcm;rate=44100', 44_100],
    ['audio/pcm', 24_000],
  ])('plays samples at the rate of the response: %s', async (type, sampleRateHz) => {
    const { log, stream } = await open(() => ({ headers: { 'content-type': type } }));
    stream.speak(0, 'Yes.');
    await log.until('done');
    expect(log.events[0]).toMatchObject({ type: 'audio', format: { encoding: 'linear16', sampleRateHz } });
    stream.close();
  });

  it.each(['audio/mpeg', 'audio/ogg', 'audio/pcm;rate=11025', 'application/json', 'text/html; charset=utf-8'])(
    'never plays bytes that would be noise: %s',
    async (type) => {
      const { emulator, log, stream } = await open(() => ({ headers: { 'content-type': type } }));
      stream.speak(0, 'Yes.');
      await log.until('failed');
      await waitFor(() => expect(emulator.activeRequests).toBe(0));
      const message = 'expected response_format pcm or wav, but the server sent something else';
      expect(log.events).toMatchObject([{ type: 'failed', segment: 0, error: { code: 'malformed', message } }]);
      stream.close();
    },
  );

  it('rejects MP3 labelled application/octet-stream at the first chunk, and names the expected formats', async () => {
    const { emulator, log, stream } = await open(() => ({
      audio: Buffer.concat([Buffer.from('ID3\x04'), Buffer.alloc(50_000, 0x55)]),
      headers: { 'content-type': 'application/octet-stream' },
    }));
    stream.speak(0, 'Yes.');
    await log.until('failed');
    await waitFor(() => expect(emulator.activeRequests).toBe(0));
    const message = 'expected response_format pcm or wav, but the server sent MP3';
    expect(log.events).toMatchObject([{ type: 'failed', segment: 0, error: { code: 'malformed', message } }]);
    stream.close();
  });

  it('sends numbers as words to a local server', async () => {
    const { emulator, log, stream } = await open(() => ({}), {}, false);
    stream.speak(0, 'It is $5.');
    await log.until('done');
    expect(emulator.requests[0]?.input).toBe('It is five dollars.');
    stream.close();
  });

  it('reports the field that a local server refuses', async () => {
    const { log, stream } = await open(() => ({ detail: [{ type: 'missing', loc: ['body', 'voice'], msg: 'x' }] }));
    stream.speak(0, 'Yes.');
    await log.until('failed');
    const message = 'HTTP status 422 (missing: body.voice)';
    expect(log.events).toMatchObject([{ error: { code: 'bad_request', message } }]);
    stream.close();
  });

  it('reports an exhausted quota as not retryable', async () => {
    const { log, stream } = await open(() => ({
      status: 429,
      error: { message: 'no money', code: 'insufficient_quota' },
    }));
    stream.speak(0, 'Yes.');
    await log.until('failed');
    expect(log.events).toMatchObject([{ error: { provider: 'openai', code: 'rate_limited', retryable: false } }]);
    stream.close();
  });
});
