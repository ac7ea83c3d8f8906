import { expect, it } from 'vitest';
import { phraseKey } from '../../../../adapters/decorators/phrase-cache/phrase.ts';
import { decorateCall } from '../../../../adapters/decorators/pipeline/decorator-pipeline.ts';
import { CallUsage } from '../../../../adapters/decorators/usage/call-usage.ts';
import type { Provider } from '../../../../adapters/registry/provider.ts';
import { createRegistry } from '../../../../adapters/registry/provider-registry.ts';
import type { Voice, VoiceEvent } from '../../../../engine/ports/voice.ts';
import { EventLog } from '../../contract/event-log.ts';
import { MemoryPhraseStore } from '../phrase-cache/memory-phrase-store.ts';

const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
const AUDIO = new Uint8Array(160);
const CACHED = 'Hello.';
const UNCACHED = 'Goodbye.';
const options = { provider: 'own', name: 'v', language: 'en', speed: 1, format: FORMAT, phrases: [CACHED] };

it('records a cached phrase on the tape and in the usage, but not in the first-audio times', async () => {
  const requestedTexts: string[] = [];
  const voice: Voice = {
    open: (_options, emit) => ({
      speak: (segment, text) => {
        requestedTexts.push(text);
        setImmediate(() => {
          emit({ type: 'audio', segment, format: FORMAT, audio: AUDIO });
          emit({ type: 'done', segment });
        });
      },
      cancel() {},
      close() {},
    }),
  };
  const provider: Provider = { name: 'own', setting: 'none', isConfigured: true, voice };
  const phrases = new MemoryPhraseStore();
  phrases.keep(phraseKey(options, CACHED, ''), { format: FORMAT, audio: AUDIO, words: [] });
  const timedProviders: string[] = [];
  const metrics = {
    providerFailed() {},
    firstByte: (part: string, provider: string) => timedProviders.push(`${part} ${provider}`),
  };
  const registry = createRegistry({}, { more: [provider], metrics, phrases });
  const found = registry.voice('own');
  if (found.status !== 'found') throw new Error(found.status);

  const usage = new CallUsage();
  const tapedSegments: number[] = [];
  const unused = { traitsOf: () => ({ detectsTurns: false, finalP99Ms: 1 }), open: () => expect.unreachable() };
  const call = decorateCall(
    { voice: found.adapter, transcriber: unused, model: { generate: () => expect.unreachable() } },
    { metrics, usage, tape: { spoken: (segment) => tapedSegments.push(segment) } },
  );
  const log = new EventLog<VoiceEvent>();
  const stream = log.call(() => call.voice.open(options, log.emit));
  stream.speak(0, CACHED);
  await log.until('done');
  expect({ requestedTexts, timedProviders, tapedSegments }).toEqual({
    requestedTexts: [],
    timedProviders: [],
    tapedSegments: [0],
  });

  stream.speak(1, UNCACHED);
  await expect.poll(() => log.types().filter((type) => type === 'done')).toHaveLength(2);
  expect({ requestedTexts, timedProviders, tapedSegments }).toEqual({
    requestedTexts: [UNCACHED],
    timedProviders: ['voice own'],
    tapedSegments: [0, 1],
  });
  expect(usage.entries).toEqual([
    { kind: 'voice', provider: 'own', model: 'v', characters: CACHED.length + UNCACHED.length },
  ]);
  stream.close();
  await registry.close();
});
