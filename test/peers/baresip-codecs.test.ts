import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeMulaw } from '../../sip/rtp/g711.ts';
import { decodeWav, encodeWav } from '../../sip/rtp/wav.ts';
import { makeTone, measureTone, rootMeanSquare } from '../caller/tone.ts';
import { EMULATED_VOICE_HZ } from '../providers/speech-bytes.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../service/emulated-providers.ts';
import { eventually } from '../service/eventually.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import { type BaresipCall, baresipCall } from './baresip.ts';
import { hasPeer } from './peer-process.ts';
import { freeSipPort } from './sip-port.ts';

const NUMBER = '+33987654321';
const SPEECH_MS = 4_000;

interface Line {
  readonly name: string;
  readonly call: Pick<BaresipCall, 'codec' | 'encryption'>;
  readonly transport: 'udp' | 'tcp';
  /** Of the file that it speaks, and of the one that it writes. */
  readonly rateHz: number;
  readonly channels: number;
  /** 5 kHz on a wideband line: no telephone of 8 kHz carries that. */
  readonly callerHz: number;
  readonly transcribed: { readonly encoding: string; readonly rateHz: number };
}

const NARROW = { rateHz: 8000, channels: 1, callerHz: 700, transcribed: { encoding: 'mulaw', rateHz: 8000 } } as const;
const WIDE = { callerHz: 5000, transcribed: { encoding: 'linear16', rateHz: 16_000 } } as const;
const G722 = { codec: { module: 'g722', name: 'G722/16000/1' } } as const;
const OPUS = { codec: { module: 'opus', name: 'opus/48000/2' } } as const;

const LINES: readonly Line[] = [
  { ...WIDE, name: 'G.722', call: G722, transport: 'udp', rateHz: 16_000, channels: 1 },
  { ...WIDE, name: 'Opus', call: OPUS, transport: 'tcp', rateHz: 48_000, channels: 2 },
  { ...NARROW, name: 'G.711 with SRTP required', call: { encryption: 'srtp-mand' }, transport: 'udp' },
  { ...NARROW, name: 'G.711 with SRTP offered beside RTP/AVP', call: { encryption: 'srtp' }, transport: 'tcp' },
  {
    ...WIDE,
    name: 'G.722 with SRTP required',
    call: { ...G722, encryption: 'srtp-mand' },
    transport: 'tcp',
    rateHz: 16_000,
    channels: 1,
  },
  {
    ...WIDE,
    name: 'Opus with SRTP required',
    call: { ...OPUS, encryption: 'srtp-mand' },
    transport: 'udp',
    rateHz: 48_000,
    channels: 2,
  },
];

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
    const number = { number: NUMBER, name: 'Reception', inbound_agent_id: agent.id };
    await test.api.must(z.unknown(), 'POST', '/v1/phone-numbers', number);
  });
  afterAll(async () => {
    await test.close();
    await providers.close();
  });

  it.each(LINES)(
    'over $name ($transport) hears the agent, and is heard by the transcriber',
    {
      timeout: 40_000,
    },
    async ({ call, transport, rateHz, channels, callerHz, transcribed }) => {
      const folder = await mkdtemp(join(tmpdir(), 'trunkline-tone-'));
      const speech = join(folder, 'speech.wav');
      const tone = makeTone(callerHz, SPEECH_MS, 4000, rateHz);
      const interleaved = Int16Array.from(
        { length: tone.length * channels },
        (_, i) => tone[Math.floor(i / channels)] ?? 0,
      );
      const format = { encoding: 'linear16', sampleRateHz: rateHz } as const;
      await writeFile(speech, encodeWav({ format, channels, data: new Uint8Array(interleaved.buffer) }));
      const before = providers.deepgram.listens.length;

      const localPort = await freeSipPort();
      const target = `sip:${NUMBER}@127.0.0.1:${test.sipPort};transport=${transport}`;
      const report = await baresipCall({ ...call, localPort, target, speech, seconds: SPEECH_MS / 1000 + 3 });

      if (report.received === null) throw new Error(report.output);
      // It goes on without what it does not find, so what it says must show that it had it.
      expect(report.output).not.toContain('not found');
      expect(report.output.includes('SRTP is Enabled')).toBe(call.encryption !== undefined);
      const agent = loudSecond(await firstChannel(report.received), rateHz);
      expect(medianShare(agent, EMULATED_VOICE_HZ, rateHz), 'what baresip hears is the agent').toBeGreaterThan(0.9);
      expect(medianShare(agent, callerHz, rateHz), 'and not itself').toBeLessThan(0.01);

      const listen = await eventually(() => {
        const found = providers.deepgram.listens[before];
        expect(found?.audio.length).toBeGreaterThan(0);
        return found;
      });
      expect(listen?.query.get('encoding')).toBe(transcribed.encoding);
      expect(listen?.query.get('sample_rate')).toBe(`${transcribed.rateHz}`);
      const bytes = Uint8Array.from(Buffer.concat(listen?.audio ?? []));
      const heard = loudSecond(samplesOf(bytes, transcribed.encoding), transcribed.rateHz);
      expect(medianShare(heard, callerHz, transcribed.rateHz), 'what the transcriber hears is baresip').toBeGreaterThan(
        0.9,
      );
      expect(medianShare(heard, EMULATED_VOICE_HZ, transcribed.rateHz), 'and not the agent').toBeLessThan(0.01);
    },
  );
});

async function firstChannel(path: string): Promise<Int16Array> {
  const wav = decodeWav(await readFile(path));
  if (wav === null) throw new Error(`${path} is no WAV`);
  const all = new Int16Array(Uint8Array.from(wav.data).buffer);
  return all.filter((_, i) => i % wav.channels === 0);
}

function samplesOf(bytes: Uint8Array, encoding: string): Int16Array {
  if (encoding === 'linear16') return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
  const samples = new Int16Array(bytes.length);
  decodeMulaw(bytes, 0, bytes.length, samples);
  return samples;
}

/** Over tenths of a second: a jitter buffer that skips breaks the phase of a longer stretch, not the tone. */
function medianShare(samples: Int16Array, frequencyHz: number, rateHz: number): number {
  const shares: number[] = [];
  const piece = rateHz / 10;
  for (let at = 0; at + piece <= samples.length; at += piece) {
    shares.push(measureTone(samples.subarray(at, at + piece), frequencyHz, rateHz).share);
  }
  return shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0;
}

/** The second behind the first tenth that has the energy of a voice. */
function loudSecond(samples: Int16Array, rateHz: number): Int16Array {
  const piece = rateHz / 10;
  for (let at = 0; at < samples.length; at += piece) {
    if (rootMeanSquare(samples.subarray(at, at + piece)) > 1_000) return samples.subarray(at + piece, at + 11 * piece);
  }
  throw new Error('nothing can be heard');
}
