import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encodeWav } from '../../sip/rtp/wav.ts';
import { readSpeech } from '../caller/speech-file.ts';
import { makeTone, measureTone, rootMeanSquare } from '../caller/tone.ts';
import { EMULATED_VOICE_HZ } from '../providers/speech-bytes.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../service/emulated-providers.ts';
import { eventually } from '../service/eventually.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import { baresipCall } from './baresip.ts';
import { hasPeer } from './peer-process.ts';
import { freeSipPort } from './sip-port.ts';

const NUMBER = '+33987654321';
const CALLER_HZ = 700;
const SPEECH_MS = 5_000;

describe.skipIf(!hasPeer('baresip'))('baresip as a caller', () => {
  let providers: EmulatedProviders;
  let test: TestService;

  beforeAll(async () => {
    providers = await startEmulatedProviders({ keepAudio: true });
    test = await startTestService(providers.environment);
    const agent = await test.api.createAgent({
      name: 'Greeter',
      initial_message: 'Good morning, this is the agent of baresip.',
      // The caller's tone never ends: an agent that gave way to it would be heard in pieces.
      interruptions: false,
      initial_state_name: 'talk',
      states: [{ name: 'talk' }],
    });
    await test.api.must(z.unknown(), 'POST', '/v1/phone-numbers', {
      number: NUMBER,
      name: 'Reception',
      inbound_agent_id: agent.id,
    });
  });
  afterAll(async () => {
    await test.close();
    await providers.close();
  });

  it('hears the agent, and is heard whole', { timeout: 40_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-tone-'));
    const speech = join(folder, 'speech.wav');
    const samples = makeTone(CALLER_HZ, SPEECH_MS);
    const format = { encoding: 'linear16', sampleRateHz: 8000 } as const;
    await writeFile(speech, encodeWav({ format, channels: 1, data: new Uint8Array(samples.buffer) }));

    const localPort = await freeSipPort();
    const target = `sip:${NUMBER}@127.0.0.1:${test.sipPort}`;
    const report = await baresipCall({ localPort, target, speech, seconds: SPEECH_MS / 1000 + 4 });

    const call = await eventually(async () => {
      const [found] = await callsOf(test);
      expect(found?.status).toBe('completed');
      return found;
    });
    const spoken = call?.transcript?.find(({ role }) => role === 'agent');
    expect(spoken?.content).toBe('Good morning, this is the agent of baresip.');

    if (report.received === null || report.sent === null) throw new Error(report.output);
    const heard = await readSpeech(report.received);
    const from = firstLoud(heard);
    const voice = heard.subarray(from, from + 8_000);
    expect(medianShare(voice, EMULATED_VOICE_HZ), 'what baresip hears is the agent').toBeGreaterThan(0.9);
    expect(medianShare(voice, CALLER_HZ), 'and not itself').toBeLessThan(0.01);

    const sent = await readSpeech(report.sent);
    const transcribed = providers.deepgram.listens[0]?.audioBytes ?? 0;
    expect(Math.abs(transcribed - sent.length) / sent.length).toBeLessThan(0.01);
  });
});

/** Over tenths of a second: a jitter buffer that skips breaks the phase of a longer stretch, not the tone. */
function medianShare(samples: Int16Array, frequencyHz: number): number {
  const shares: number[] = [];
  for (let at = 0; at + 800 <= samples.length; at += 800) {
    shares.push(measureTone(samples.subarray(at, at + 800), frequencyHz).share);
  }
  return shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0;
}

/** Where a tenth of a second first has the energy of a voice. */
function firstLoud(samples: Int16Array): number {
  for (let at = 0; at < samples.length; at += 800) {
    if (rootMeanSquare(samples.subarray(at, at + 800)) > 1_000) return at + 800;
  }
  throw new Error('nothing can be heard');
}

async function callsOf(test: TestService) {
  const ids = [...test.log().matchAll(/"call_id":"([0-9a-f-]{36})"/g)].flatMap((match) => match[1] ?? []);
  return Promise.all([...new Set(ids)].map((id) => test.api.call(id)));
}
