import { afterEach, describe, expect, it } from 'vitest';
import { createDeepgramTranscriber } from '../../../adapters/deepgram/transcriber.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { TranscriberEvent, TranscriberOptions } from '../../../engine/ports/transcriber.ts';
import {
  type DeepgramEmulator,
  type DeepgramEmulatorOptions,
  startDeepgramEmulator,
} from '../../providers/deepgram/emulator.ts';
import { configured, type TurnInfoOptions, turnInfo } from '../../providers/deepgram/flux-listen.ts';
import type { ListenAction, ListenScript } from '../../providers/deepgram/listen.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { STREAM_FAILURES } from '../contract/failure.ts';
import { type TranscriberScenario, transcriberContract } from '../contract/transcriber.ts';
import { DEADLINES, transcriberDeadlines, transcriberOpenMs } from '../contract/transcriber-timing.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
const WIDEBAND: AudioFormat = { encoding: 'linear16', sampleRateHz: 16_000 };
const MODEL = 'flux-general-en';

const TEXT = 'I would like a table.';

function send(event: string, text: string, times: TurnInfoOptions): ListenAction {
  return { type: 'send', message: turnInfo(event, text, { timed: true, ...times }) };
}

const SPEECH_TIMES = { startMs: 100, endMs: 380 };
const STARTED = send('StartOfTurn', 'I would', { startMs: 100, endMs: 200 });
const STEPS = [
  { audioMs: 80, action: send('Update', '', { startMs: 0, endMs: 80 }) },
  { audioMs: 160, action: STARTED },
  { audioMs: 240, action: send('EagerEndOfTurn', 'I would', { startMs: 100, endMs: 200 }) },
  { audioMs: 320, action: send('TurnResumed', 'I would like', { startMs: 100, endMs: 300 }) },
  { audioMs: 320, action: send('Update', TEXT, SPEECH_TIMES) },
  { audioMs: 400, action: send('EagerEndOfTurn', TEXT, SPEECH_TIMES) },
  { audioMs: 480, action: send('EndOfTurn', TEXT, SPEECH_TIMES) },
];

function scriptOf(scenario: TranscriberScenario): ListenScript {
  const at80Ms = (action: ListenAction) => ({ steps: [{ audioMs: 80, action }] });
  switch (scenario) {
    case 'transcribes':
    case 'slow':
      return { steps: STEPS };
    case 'doubled':
      return { steps: [...STEPS.flatMap((step) => [step, step]), ...STEPS.map((step) => ({ ...step, audioMs: 560 }))] };
    case 'malformed':
      return at80Ms({ type: 'send_raw', text: '{"type":"TurnInfo","ev' });
    case 'closed':
      return at80Ms({ type: 'close', code: 1011, reason: 'NET-0000' });
    case 'reset':
    case 'half_frame':
      return at80Ms({ type: scenario });
    case 'stalled':
      return at80Ms({ type: 'stall' });
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
    `deepgram flux (${format.encoding})`,
    async (scenario) => {
      const emulator = await startDeepgramEmulator({
        listen: () => scriptOf(scenario),
        refuse: () => REFUSALS[scenario],
        openMs: transcriberOpenMs(scenario),
      });
      if (scenario === 'refused_connection') await emulator.close();
      const deadlines = transcriberDeadlines(scenario);
      return {
        transcriber: createDeepgramTranscriber(emulator, deadlines),
        format,
        secret: emulator.apiKey,
        requestCount: () => emulator.connections,
        openSockets: () => emulator.openSockets,
        close: () => (scenario === 'refused_connection' ? Promise.resolve() : emulator.close()),
      };
    },
    {
      failures: STREAM_FAILURES,
      model: MODEL,
      events: [
        { type: 'turn', phase: 'started', text: 'I would', startMs: 100, endMs: 200 },
        { type: 'turn', phase: 'eager_end', text: 'I would', startMs: 100, endMs: 200 },
        { type: 'turn', phase: 'resumed', text: 'I would like', startMs: 100, endMs: 300 },
        { type: 'turn', phase: 'updated', text: TEXT, startMs: 100, endMs: 380 },
        { type: 'turn', phase: 'eager_end', text: TEXT, startMs: 100, endMs: 380 },
        { type: 'turn', phase: 'ended', text: TEXT, startMs: 100, endMs: 380 },
      ],
    },
  );
}

describe('deepgram flux transcriber', () => {
  let emulator: DeepgramEmulator | undefined;

  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
  });

  async function open(
    options: Partial<TranscriberOptions> = {},
    { pauseMs = DEADLINES.pauseMs, ...emulatorOptions }: DeepgramEmulatorOptions & { pauseMs?: number } = {},
  ) {
    emulator = await startDeepgramEmulator({ keepAudio: true, ...emulatorOptions });
    const transcriber = createDeepgramTranscriber(emulator, { ...DEADLINES, pauseMs });
    const log = new EventLog<TranscriberEvent>();
    const streamOptions = {
      provider: 'deepgram',
      model: MODEL,
      language: 'pt-BR',
      vocabulary: [],
      format: MULAW,
      ...options,
    };
    const stream = log.call(() => transcriber.open(streamOptions, log.emit));
    return { emulator, stream, log };
  }

  async function queryOf(options: Partial<TranscriberOptions>) {
    const { emulator, log, stream } = await open(options);
    await log.until('ready');
    stream.close();
    return emulator.listens[0]?.query ?? new URLSearchParams();
  }

  it('requests the call’s codec, configured thresholds and keyterms, and no option of v1', async () => {
    const query = await queryOf({ eotThreshold: 0.8, eagerEotThreshold: 0.4, vocabulary: ['Trunkline', 'São João'] });
    expect([...query]).toEqual([
      ['model', MODEL],
      ['encoding', 'mulaw'],
      ['sample_rate', '8000'],
      ['eot_threshold', '0.8'],
      ['eager_eot_threshold', '0.4'],
      ['keyterm', 'Trunkline'],
      ['keyterm', 'São João'],
    ]);
  });

  it('requests eager end-of-turn messages only if their threshold is set', async () => {
    expect((await queryOf({})).has('eager_eot_threshold')).toBe(false);
  });

  it('lowers an eager threshold to the end-of-turn threshold, configured or default', async () => {
    expect((await queryOf({ eagerEotThreshold: 0.9 })).get('eager_eot_threshold')).toBe('0.7');
  });

  it('sends the multilingual model a language hint if it supports the language', async () => {
    const model = 'flux-general-multi';
    expect((await queryOf({ model })).get('language_hint')).toBe('pt');
    await emulator?.close();
    expect((await queryOf({ model, language: 'fi' })).has('language_hint')).toBe(false);
  });

  it('copies audio and sends it in chunks of 80 ms, and the rest with finalize', async () => {
    const { emulator, log, stream } = await open();
    await log.until('ready');
    const reusedBuffer = Buffer.alloc(160);
    for (let n = 1; n <= 9; n++) stream.write(reusedBuffer.fill(n));
    reusedBuffer.fill(0xff);
    await waitFor(() => expect(emulator.listens[0]?.audio.map((piece) => piece.length)).toEqual([640, 640]));
    stream.finalize();
    await waitFor(() => expect(emulator.listens[0]?.controls).toEqual(['ForceEndTurn']));
    const audio = Buffer.concat(emulator.listens[0]?.audio ?? []);
    expect([...audio.filter((_, at) => at % 160 === 0)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    stream.close();
    await waitFor(() => expect(emulator.listens[0]?.controls.at(-1)).toBe('CloseStream'));
  });

  it('fills a pause of the audio with silence', async () => {
    const silentMs = 80;
    const { emulator, log, stream } = await open({}, { pauseMs: silentMs });
    await log.until('ready');
    stream.write(Buffer.alloc(800, 1));
    await waitFor(() => expect(emulator.listens[0]?.audioBytes).toBeGreaterThanOrEqual(800 + 2 * silentMs * 8));
    const audio = Buffer.concat(emulator.listens[0]?.audio ?? []);
    expect(audio.subarray(0, 800).equals(Buffer.alloc(800, 1))).toBe(true);
    expect(audio.subarray(800).every((byte) => byte === 0xff)).toBe(true);
    expect(emulator.listens[0]?.controls).toEqual([]);
    stream.close();
  });

  it('sends no silence while audio is written', async () => {
    const { emulator, log, stream } = await open({}, { pauseMs: 200 });
    await log.until('ready');
    const writing = setInterval(() => stream.write(Buffer.alloc(160, 1)), 5);
    await waitFor(() => expect(emulator.listens[0]?.audioBytes).toBeGreaterThan(160 * 100));
    clearInterval(writing);
    expect(Buffer.concat(emulator.listens[0]?.audio ?? []).includes(0xff)).toBe(false);
    stream.close();
  });

  describe('configure', () => {
    const configureMessage = (eot_threshold: number) => ({ type: 'Configure', thresholds: { eot_threshold } });

    it('sends the threshold, or the provider’s default if none is given', async () => {
      const { emulator, log, stream } = await open();
      await log.until('ready');
      log.call(() => stream.configure?.({ eotThreshold: 0.9 }));
      log.call(() => stream.configure?.({}));
      await waitFor(() =>
        expect(emulator.listens[0]?.messages).toEqual([configureMessage(0.9), configureMessage(0.7)]),
      );
      stream.close();
      expect(log.types()).toEqual(['ready']);
    });

    it('sends only the latest threshold from before the socket is open, and never the current one', async () => {
      const { emulator, log, stream } = await open({ eotThreshold: 0.8 });
      stream.configure?.({ eotThreshold: 0.6 });
      stream.configure?.({ eotThreshold: 0.9 });
      await log.until('ready');
      await waitFor(() => expect(emulator.listens[0]?.messages).toEqual([configureMessage(0.9)]));
      stream.configure?.({ eotThreshold: 0.9 });
      stream.finalize();
      await waitFor(() => expect(emulator.listens[0]?.controls).toEqual(['Configure', 'ForceEndTurn']));
      stream.close();
    });

    it.each(['ConfigureSuccess', 'ConfigureFailure'] as const)(
      'sends one message at a time: after a %s the latest threshold follows, and the stream continues',
      async (answer) => {
        const action: ListenAction = { type: 'send', message: configured(answer) };
        const { emulator, log, stream } = await open(
          {},
          { listen: () => ({ steps: [{ audioMs: 80, action }, ...STEPS], onConfigure: [] }) },
        );
        await log.until('ready');
        stream.configure?.({ eotThreshold: 0.9 });
        stream.configure?.({ eotThreshold: 0.8 });
        stream.configure?.({});
        stream.finalize();
        await waitFor(() => expect(emulator.listens[0]?.controls).toEqual(['Configure', 'ForceEndTurn']));
        stream.write(Buffer.alloc(640, 1));
        await waitFor(() => expect(emulator.listens[0]?.messages.at(-1)).toEqual(configureMessage(0.7)));
        stream.write(Buffer.alloc(640 * 6, 1));
        await waitFor(() => expect(log.events.at(-1)).toMatchObject({ phase: 'ended', text: TEXT }));
        expect(emulator.listens[0]?.controls).toEqual(['Configure', 'ForceEndTurn', 'Configure']);
        stream.close();
      },
    );

    it('sends nothing after close or after a failure', async () => {
      const closing: ListenAction = { type: 'close', code: 1011, reason: 'NET-0000' };
      const { emulator, log, stream } = await open(
        {},
        { listen: () => ({ steps: [{ audioMs: 80, action: closing }] }) },
      );
      await log.until('ready');
      stream.write(Buffer.alloc(640, 1));
      await log.until('failed');
      log.call(() => stream.configure?.({ eotThreshold: 0.9 }));
      stream.close();
      log.call(() => stream.configure?.({ eotThreshold: 0.8 }));
      await settle();
      expect(emulator.listens[0]?.controls).toEqual([]);
    });
  });

  it('an error of the provider ends the stream', async () => {
    const error = {
      type: 'Error',
      sequence_id: 2,
      code: 'INTERNAL_SERVER_ERROR',
      description: 'emulatorOptions-deepgram-key',
    };
    const { log } = await open(
      {},
      { listen: () => ({ steps: [{ audioMs: 0, action: { type: 'send', message: error } }] }) },
    );
    await log.until('failed');
    expect(log.types()).toEqual(['ready', 'failed']);
    expect(log.events.at(-1)).toMatchObject({ error: { code: 'unavailable', retryable: true } });
    expect(JSON.stringify(log.events)).not.toContain('emulatorOptions-deepgram-key');
  });

  it.each(['{}', '[]', 'null', '{"type":"TurnInfo"}', '{"type":"TurnInfo","event":7}'])(
    'reports a malformed message: %s',
    async (text) => {
      const { log } = await open(
        {},
        { listen: () => ({ steps: [{ audioMs: 0, action: { type: 'send_raw', text } }] }) },
      );
      await log.until('failed');
      expect(log.events.at(-1)).toMatchObject({ error: { code: 'malformed' } });
    },
  );

  it('ignores unknown messages and events', async () => {
    const { log, stream } = await open(
      {},
      {
        listen: () => ({
          steps: [
            { audioMs: 0, action: { type: 'send', message: { type: 'ConfigureSuccess' } } },
            { audioMs: 0, action: send('TurnPaused', 'I', { startMs: 0, endMs: 80 }) },
            { audioMs: 0, action: send('EndOfTurn', 'I', { startMs: 0, endMs: 80 }) },
          ],
        }),
      },
    );
    await log.until('turn');
    await settle();
    expect(log.types()).toEqual(['ready', 'turn']);
    stream.close();
  });
});
