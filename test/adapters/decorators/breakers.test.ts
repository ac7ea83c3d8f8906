import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CircuitBreaker } from '../../../adapters/decorators/circuit-breaker/circuit-breaker.ts';
import { withTranscriberBreaker } from '../../../adapters/decorators/circuit-breaker/transcriber-breaker.ts';
import { withVoiceBreaker } from '../../../adapters/decorators/circuit-breaker/voice-breaker.ts';
import { createRegistry, type Registry } from '../../../adapters/registry/provider-registry.ts';
import { PROVIDER_VARIABLES } from '../../../adapters/registry/provider-variables.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { Transcriber, TranscriberEvent, TranscriberStream } from '../../../engine/ports/transcriber.ts';
import type { Voice, VoiceEvent, VoiceStream } from '../../../engine/ports/voice.ts';
import { LoopbackServer } from '../../providers/loopback-server.ts';

const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
const FAILURES_MAX = 5;
const OPEN_CIRCUIT = {
  code: 'unavailable',
  retryable: true,
  retryAfterMs: expect.any(Number),
  message: expect.stringContaining('failed several times in a row'),
};

function listen(transcriber: Transcriber, provider: string) {
  const events: TranscriberEvent[] = [];
  const firstEvent = Promise.withResolvers<TranscriberEvent>();
  const stream = transcriber.open({ provider, language: 'en', vocabulary: [], format: FORMAT }, (event) => {
    events.push(event);
    firstEvent.resolve(event);
  });
  return { stream, events, first: firstEvent.promise };
}

function speak(voice: Voice, provider: string) {
  const events: VoiceEvent[] = [];
  const firstEvent = Promise.withResolvers<VoiceEvent>();
  const options = { provider, name: 'someone', language: 'en', speed: 1, format: FORMAT };
  const stream = voice.open(options, (event) => {
    events.push(event);
    firstEvent.resolve(event);
  });
  return { stream, events, first: firstEvent.promise };
}

describe('a provider that rejects every request with 500', () => {
  let registry: Registry;
  let requests = 0;
  let server: LoopbackServer;

  beforeEach(async () => {
    requests = 0;
    server = await LoopbackServer.listen((_request, response) => response.writeHead(500).end());
    server.http.on('upgrade', (_request, socket) => {
      requests++;
      socket.end('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    const values = { key: 'k', base_url: `${server.origin}/v1`, text: '/nowhere/espeak-ng' } as const;
    registry = createRegistry(Object.fromEntries(PROVIDER_VARIABLES.map(({ kind, name }) => [name, values[kind]])));
  });
  afterEach(async () => {
    await registry.close();
    await server.close();
  });

  const unconfigured = createRegistry({});
  const providersOf = (kind: 'transcriber' | 'voice') =>
    unconfigured.providers.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);

  const pcm = (samples: number, amplitude: number) =>
    new Uint8Array(Int16Array.from({ length: samples }, (_, at) => amplitude * Math.sin(at / 3)).buffer);

  it('opens the circuit after failed utterances for a transcriber without a connection: openai-compatible', async () => {
    server.http.on('request', (request) => {
      if (request.method === 'POST') requests++;
    });
    const found = registry.transcriber('openai-compatible');
    if (found.status !== 'found') throw new Error(found.status);
    const { adapter } = found;
    const failUtterance = async (format = { encoding: 'linear16', sampleRateHz: 8_000 } as const) => {
      const failure = Promise.withResolvers<TranscriberEvent>();
      const options = { provider: 'openai-compatible', language: 'en', vocabulary: [], format };
      const stream = adapter.open(options, (event) => {
        if (event.type === 'failed') failure.resolve(event);
      });
      stream.write(pcm(2_400, 50));
      stream.write(pcm(8_000, 8_000));
      stream.finalize();
      const failed = await failure.promise;
      stream.close();
      return failed;
    };
    // A stream without speech makes no request, so it counts neither as success nor as failure.
    listen(adapter, 'openai-compatible').stream.close();
    for (let call = 0; call < FAILURES_MAX; call++)
      expect(await failUtterance()).toMatchObject({ error: { httpStatus: 500 } });
    expect(requests).toBe(FAILURES_MAX);
    expect(await failUtterance()).toMatchObject({ error: OPEN_CIRCUIT });
    expect(requests).toBe(FAILURES_MAX);
  });

  it.each(providersOf('transcriber').filter((name) => name !== 'openai-compatible'))(
    'opens the circuit of a transcriber for all calls: %s',
    async (name) => {
      const found = registry.transcriber(name);
      if (found.status !== 'found') throw new Error(found.status);
      for (let call = 0; call < FAILURES_MAX; call++) {
        expect(await listen(found.adapter, name).first).toMatchObject({ error: { retryable: true } });
      }
      expect(requests).toBe(FAILURES_MAX);
      const { first } = listen(found.adapter, name);
      expect(await first).toMatchObject({ type: 'failed', error: { ...OPEN_CIRCUIT, provider: name } });
      expect(requests).toBe(FAILURES_MAX);
    },
  );

  it.each(providersOf('voice'))('opens the circuit of a voice for all calls: %s', async (name) => {
    const found = registry.voice(name);
    if (found.status !== 'found') throw new Error(found.status);
    for (let call = 0; call < FAILURES_MAX; call++) {
      const { first, stream } = speak(found.adapter, name);
      stream.speak(1, 'Hello.');
      expect(await first).not.toMatchObject({ error: { message: OPEN_CIRCUIT.message } });
      stream.close();
    }
    const { first, stream } = speak(found.adapter, name);
    stream.speak(1, 'Hello.');
    expect(await first).toMatchObject({ type: 'failed', segment: 1, error: { ...OPEN_CIRCUIT, provider: name } });
    stream.close();
  });
});

function failure(code: ProviderError['code']): ProviderError {
  return { provider: 'p', code, message: 'no', retryable: true };
}

describe('a transcriber behind a circuit breaker', () => {
  const opened: { emit: (event: TranscriberEvent) => void; closed: boolean }[] = [];
  let inner: Transcriber;
  let transcriber: Transcriber;

  beforeEach(() => {
    opened.length = 0;
    inner = {
      traitsOf: () => ({ detectsTurns: true, finalP99Ms: 1 }),
      open: (_options, emit) => {
        const call = { emit, closed: false };
        opened.push(call);
        const stream: TranscriberStream = {
          write() {},
          finalize() {},
          close: () => {
            call.closed = true;
          },
        };
        return stream;
      },
    };
    transcriber = withTranscriberBreaker('p', inner, new CircuitBreaker(() => 0));
  });

  it('a stream lost after it was ready does not count as a failure', () => {
    for (let call = 0; call < 2 * FAILURES_MAX; call++) {
      listen(transcriber, 'p');
      opened[call]?.emit({ type: 'ready' });
      opened[call]?.emit({ type: 'failed', error: failure('closed') });
    }
    expect(opened).toHaveLength(2 * FAILURES_MAX);
  });

  it('counts a failure after words as a success if only words prove success', () => {
    const wordsBreaker = withTranscriberBreaker('p', inner, new CircuitBreaker(() => 0), 'words');
    const fail = (index: number, before: readonly TranscriberEvent[]) => {
      listen(wordsBreaker, 'p');
      opened[index]?.emit({ type: 'ready' });
      for (const event of before) opened[index]?.emit(event);
      opened[index]?.emit({ type: 'failed', error: failure('unavailable') });
    };
    const words = { type: 'final', text: 'Yes.', words: [], startMs: 0, endMs: 1 } as const;
    for (let call = 0; call < FAILURES_MAX; call++) fail(call, [words]);
    for (let call = 0; call < FAILURES_MAX; call++) fail(FAILURES_MAX + call, []);
    expect(opened).toHaveLength(2 * FAILURES_MAX);
    listen(wordsBreaker, 'p');
    expect(opened).toHaveLength(2 * FAILURES_MAX);
  });

  it('a stream closed before it was ready does not count as a failure', () => {
    for (let call = 0; call < 2 * FAILURES_MAX; call++) listen(transcriber, 'p').stream.close();
    expect(opened.map(({ closed }) => closed)).toEqual(Array(2 * FAILURES_MAX).fill(true));
  });

  it('emits nothing inside `open`, and nothing after `close`', async () => {
    for (let call = 0; call < FAILURES_MAX; call++) {
      listen(transcriber, 'p');
      opened[call]?.emit({ type: 'failed', error: failure('timeout') });
    }
    const closed = listen(transcriber, 'p');
    closed.stream.close();
    const refused = listen(transcriber, 'p');
    refused.stream.write(new Uint8Array(160));
    expect(refused.events).toEqual([]);
    expect(await refused.first).toMatchObject({ error: OPEN_CIRCUIT });
    expect(closed.events).toEqual([]);
    expect(opened).toHaveLength(FAILURES_MAX);
  });
});

describe('a voice behind a circuit breaker', () => {
  const streams: { emit: (event: VoiceEvent) => void; spoken: number[] }[] = [];
  let voice: Voice;

  beforeEach(() => {
    streams.length = 0;
    const inner: Voice = {
      open: (_options, emit) => {
        const call = { emit, spoken: [] as number[] };
        streams.push(call);
        const stream: VoiceStream = { speak: (segment) => void call.spoken.push(segment), cancel() {}, close() {} };
        return stream;
      },
    };
    voice = withVoiceBreaker('p', inner, new CircuitBreaker(() => 0));
  });

  /** In each of `calls` calls, three segments fail together. */
  function failCalls(calls: number): void {
    for (let call = 0; call < calls; call++) {
      const { stream } = speak(voice, 'p');
      for (const segment of [1, 2, 3]) stream.speak(segment, 'Hello.');
      for (const segment of [1, 2, 3]) streams.at(-1)?.emit({ type: 'failed', segment, error: failure('timeout') });
    }
  }

  const AUDIO = { type: 'audio', segment: 1, format: FORMAT, audio: new Uint8Array(160) } as const;

  it('counts segments that fail together once', () => {
    failCalls(FAILURES_MAX - 1);
    speak(voice, 'p').stream.speak(1, 'Hello.');
    expect(streams.at(-1)?.spoken).toEqual([1]);
  });

  it('a stream that has spoken continues while the circuit is open for others', async () => {
    const speaking = speak(voice, 'p');
    speaking.stream.speak(1, 'Hello.');
    streams[0]?.emit(AUDIO);
    failCalls(FAILURES_MAX);
    speaking.stream.speak(2, 'Again.');
    expect(streams[0]?.spoken).toEqual([1, 2]);
    const other = speak(voice, 'p');
    other.stream.speak(1, 'Hello.');
    expect(other.events).toEqual([]);
    expect(await other.first).toMatchObject({ type: 'failed', segment: 1, error: OPEN_CIRCUIT });
    expect(streams.at(-1)?.spoken).toEqual([]);
  });

  it('a text without sound does not count as success, and a cancelled refusal is not reported', async () => {
    for (let call = 0; call < FAILURES_MAX - 1; call++) {
      speak(voice, 'p').stream.speak(1, 'Hello.');
      streams.at(-1)?.emit({ type: 'failed', segment: 1, error: failure('timeout') });
    }
    const silent = speak(voice, 'p');
    silent.stream.speak(1, '🙂');
    streams.at(-1)?.emit({ type: 'done', segment: 1 });
    silent.stream.speak(2, 'Hello.');
    streams.at(-1)?.emit({ type: 'failed', segment: 2, error: failure('timeout') });
    const cancelled = speak(voice, 'p');
    cancelled.stream.speak(1, 'Hello.');
    cancelled.stream.cancel();
    const last = speak(voice, 'p');
    last.stream.speak(1, 'Hello.');
    expect(await last.first).toMatchObject({ error: OPEN_CIRCUIT });
    expect(cancelled.events).toEqual([]);
  });
});
