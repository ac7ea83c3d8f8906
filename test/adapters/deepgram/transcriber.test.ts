import { afterEach, describe, expect, it } from 'vitest';
import { createDeepgramTranscriber } from '../../../adapters/deepgram/transcriber.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { TranscriberEvent } from '../../../engine/ports/transcriber.ts';
import {
  type DeepgramEmulator,
  type DeepgramEmulatorOptions,
  startDeepgramEmulator,
} from '../../providers/deepgram/emulator.ts';
import type { ListenAction, ListenScript } from '../../providers/deepgram/listen.ts';
import { results, speechStarted, utteranceEnd } from '../../providers/deepgram/listen-messages.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { STREAM_FAILURES } from '../contract/failure.ts';
import { type TranscriberScenario, transcriberContract } from '../contract/transcriber.ts';
import { DEADLINES, transcriberDeadlines, transcriberOpenMs } from '../contract/transcriber-timing.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
const WIDEBAND: AudioFormat = { encoding: 'linear16', sampleRateHz: 16_000 };

const send = (message: Readonly<Record<string, unknown>>): ListenAction => ({ type: 'send', message });
const INTERIM = send(results('I would', { startMs: 100, endMs: 200 }));
const FINAL = send(results('I would like a table.', { startMs: 100, endMs: 380, isFinal: true, speechFinal: true }));
const UTTERANCE_END = send(utteranceEnd(380));

const STEPS = [
  { audioMs: 100, action: send(speechStarted(100)) },
  { audioMs: 200, action: INTERIM },
  { audioMs: 400, action: FINAL },
  { audioMs: 500, action: UTTERANCE_END },
];

function scriptOf(scenario: TranscriberScenario): ListenScript {
  switch (scenario) {
    case 'transcribes':
    case 'slow':
      return { steps: STEPS };
    case 'doubled':
      return {
        steps: [
          ...STEPS.slice(0, 3),
          { audioMs: 420, action: FINAL },
          { audioMs: 440, action: INTERIM },
          ...STEPS.slice(3),
          { audioMs: 520, action: UTTERANCE_END },
        ],
      };
    case 'malformed':
      return { steps: [{ audioMs: 100, action: { type: 'send_raw', text: '{"type":"Results","chan' } }] };
    case 'closed':
      return { steps: [{ audioMs: 100, action: { type: 'close', code: 1011, reason: 'NET-0000' } }] };
    case 'reset':
    case 'half_frame':
      return { steps: [{ audioMs: 100, action: { type: scenario } }] };
    case 'stalled':
      return { steps: [{ audioMs: 100, action: { type: 'stall' } }] };
    default:
      return { steps: [] };
  }
}

const REFUSALS: Readonly<Record<string, { status: number; headers?: Record<string, string> }>> = {
  unauthorized: { status: 401 },
  rate_limited: { status: 429, headers: { 'Retry-After': '7' } },
  server_error: { status: 500 },
};

for (const format of [MULAW, WIDEBAND]) {
  transcriberContract(
    `deepgram (${format.encoding})`,
    async (scenario) => {
      const emulator = await startDeepgramEmulator({
        listen: () => scriptOf(scenario),
        refuse: () => REFUSALS[scenario],
        openMs: transcriberOpenMs(scenario),
      });
      if (scenario === 'refused_connection') await emulator.close();
      const deadlines = transcriberDeadlines(scenario);
      return {
        transcriber: createDeepgramTranscriber({ apiKey: emulator.apiKey, baseUrl: emulator.baseUrl }, deadlines),
        format,
        secret: emulator.apiKey,
        requestCount: () => emulator.connections,
        openSockets: () => emulator.openSockets,
        close: () => (scenario === 'refused_connection' ? Promise.resolve() : emulator.close()),
      };
    },
    { failures: STREAM_FAILURES },
  );
}

describe('deepgram transcriber', () => {
  let emulator: DeepgramEmulator | undefined;

  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
  });

  interface OpenOptions extends DeepgramEmulatorOptions {
    readonly vocabulary?: readonly string[];
    readonly model?: string;
    readonly careMs?: number;
  }

  async function open({ vocabulary = [], model, careMs = DEADLINES.careMs, ...options }: OpenOptions) {
    emulator = await startDeepgramEmulator({ keepAudio: true, ...options });
    const transcriber = createDeepgramTranscriber(emulator, { ...DEADLINES, careMs });
    const log = new EventLog<TranscriberEvent>();
    const stream = log.call(() =>
      transcriber.open(
        {
          provider: 'deepgram',
          language: 'pt-BR',
          vocabulary,
          format: MULAW,
          ...(model === undefined ? {} : { model }),
        },
        log.emit,
      ),
    );
    return { emulator, stream, log };
  }

  it('requests the call’s codec, interim results, endpointing and keyterms', async () => {
    const { emulator, log, stream } = await open({ vocabulary: ['Trunkline', 'São João'] });
    await log.until('ready');
    const query = emulator.listens[0]?.query;
    expect(query?.getAll('keyterm')).toEqual(['Trunkline', 'São João']);
    expect(Object.fromEntries(query ?? [])).toMatchObject({
      model: 'nova-3',
      language: 'pt-BR',
      encoding: 'mulaw',
      sample_rate: '8000',
      interim_results: 'true',
      vad_events: 'true',
      utterance_end_ms: '1000',
    });
    stream.close();
  });

  it('sends older models the vocabulary as `keywords`', async () => {
    const { emulator, log, stream } = await open({ vocabulary: ['Trunkline'], model: 'nova-2-phonecall' });
    await log.until('ready');
    expect(emulator.listens[0]?.query.getAll('keywords')).toEqual(['Trunkline']);
    expect(emulator.listens[0]?.query.has('keyterm')).toBe(false);
    stream.close();
  });

  it('truncates a vocabulary that exceeds the provider’s bound', async () => {
    const vocabulary = Array.from({ length: 500 }, (_, n) => `a rather long name ${n}`);
    const { emulator, log, stream } = await open({ vocabulary });
    await log.until('ready');
    const terms = emulator.listens[0]?.query.getAll('keyterm') ?? [];
    expect(terms.length).toBeGreaterThan(20);
    expect(terms.length).toBeLessThan(100);
    expect(terms).toEqual(vocabulary.slice(0, terms.length));
    stream.close();
  });

  it('first sends the audio written before the socket is open, even if the writer reuses its buffer', async () => {
    const { emulator, log, stream } = await open({ openMs: 30 });
    const reusedBuffer = Buffer.alloc(160);
    for (let n = 1; n <= 10; n++) stream.write(reusedBuffer.fill(n));
    reusedBuffer.fill(0xff);
    await log.until('ready');
    stream.write(Buffer.alloc(160, 11));
    await waitFor(() => expect(emulator.listens[0]?.audioBytes).toBe(1_760));
    const audio = Buffer.concat(emulator.listens[0]?.audio ?? []);
    expect([...audio.filter((_, at) => at % 160 === 0)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    stream.close();
  });

  it('drops the oldest audio after 5 s without an open socket, and still counts times from the first sample', async () => {
    const final = send(results('late', { startMs: 0, endMs: 500, isFinal: true }));
    const { emulator, log, stream } = await open({
      openMs: 30,
      listen: () => ({ steps: [{ audioMs: 5_000, action: final }] }),
    });
    for (let second = 0; second < 7; second++) stream.write(Buffer.alloc(8_000, second));
    await log.until('final');
    expect(emulator.listens[0]?.audioBytes).toBe(40_000);
    expect(emulator.listens[0]?.audio[0]?.[0]).toBe(2);
    expect(log.events.at(-1)).toMatchObject({ startMs: 2_000, endMs: 2_500 });
    stream.close();
  });

  it('keeps the stream alive while no audio is written', async () => {
    const { emulator, log, stream } = await open({ careMs: 40 });
    await log.until('ready');
    await waitFor(() => expect(emulator.listens[0]?.controls).toEqual(['KeepAlive', 'KeepAlive', 'KeepAlive']));
    expect(log.types()).toEqual(['ready']);
    stream.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
    expect(emulator.listens[0]?.controls.at(-1)).toBe('CloseStream');
  });

  it('sends no KeepAlive while audio is written', async () => {
    const { emulator, log, stream } = await open({ careMs: 200 });
    await log.until('ready');
    const writing = setInterval(() => stream.write(Buffer.alloc(160)), 5);
    await waitFor(() => expect(emulator.listens[0]?.audioBytes).toBeGreaterThan(160 * 100));
    clearInterval(writing);
    expect(emulator.listens[0]?.controls).toEqual([]);
    stream.close();
  });

  it('sends finalize, also from before the socket is open, and emits its empty final', async () => {
    const { emulator, log, stream } = await open({ openMs: 20 });
    stream.write(Buffer.alloc(160));
    log.call(() => stream.finalize());
    await log.until('final');
    expect(emulator.listens[0]?.controls).toEqual(['Finalize']);
    expect(log.events.at(-1)).toMatchObject({ type: 'final', text: '' });
    log.call(() => stream.finalize());
    await log.until('final', 2);
    stream.close();
  });

  it('emits an empty final only after silence', async () => {
    const silence = send(results('', { startMs: 0, endMs: 100, isFinal: true }));
    const end = send(results('', { startMs: 100, endMs: 200, isFinal: true, speechFinal: true }));
    const { log, stream } = await open({
      listen: () => ({
        steps: [
          { audioMs: 20, action: silence },
          { audioMs: 40, action: end },
        ],
      }),
    });
    stream.write(Buffer.alloc(800));
    await log.until('final');
    await settle();
    expect(log.events.filter((event) => event.type === 'final')).toMatchObject([{ text: '' }]);
    stream.close();
  });

  it('does not send an empty write, because it would end the stream', async () => {
    const { emulator, log, stream } = await open({});
    await log.until('ready');
    stream.write(Buffer.alloc(0));
    stream.write(Buffer.alloc(160));
    await waitFor(() => expect(emulator.listens[0]?.audio).toHaveLength(1));
    stream.close();
  });

  it('ignores messages of unknown types', async () => {
    const { log, stream } = await open({
      listen: () => ({
        steps: [
          { audioMs: 0, action: send({ type: 'SomethingNew', value: 1 }) },
          { audioMs: 0, action: send({ type: 'Metadata' }) },
          { audioMs: 20, action: FINAL },
        ],
      }),
    });
    stream.write(Buffer.alloc(800));
    await log.until('final');
    expect(log.types()).toEqual(['ready', 'final']);
    stream.close();
  });

  it.each(['{}', '[]', '7', 'null', '{"type":7}', '{"type":"Results"}', '{"type":"UtteranceEnd","last_word_end":"x"}'])(
    'reports a malformed message: %s',
    async (text) => {
      const { log } = await open({ listen: () => ({ steps: [{ audioMs: 0, action: { type: 'send_raw', text } }] }) });
      await log.until('failed');
      expect(log.events.at(-1)).toMatchObject({ error: { code: 'malformed' } });
    },
  );

  it('dials a stream once and never again', async () => {
    const { emulator, log, stream } = await open({ listen: () => scriptOf('closed') });
    await log.until('ready');
    stream.write(Buffer.alloc(1_600));
    await log.until('failed');
    await settle();
    expect(emulator.connections).toBe(1);
    expect(emulator.openSockets).toBe(0);
  });

  it('fails instead of queueing without bound when the network accepts no audio', async () => {
    const { log, stream } = await open({ pauseSockets: true });
    await log.until('ready');
    const second = Buffer.alloc(8_000);
    for (let n = 0; n < 5_000 && !log.types().includes('failed'); n++) {
      log.call(() => stream.write(second));
      if (n % 100 === 0) await settle();
    }
    await log.until('failed');
    expect(log.events.at(-1)).toMatchObject({ error: { code: 'timeout', retryable: true } });
  });
});
