import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EMULATED_VOICE_HZ } from '../providers/speech/tone-speech.ts';
import { eventually } from '../service/rig/eventually.ts';
import { TlsFiles } from '../sip/server/tls-files.ts';
import { type Baresip, type BaresipCodec, G711, G722, OPUS } from './baresip.ts';
import { BaresipBed, type Transport } from './baresip-bed.ts';
import { toneMs } from './heard-tone.ts';
import { hasPeer } from './peer-process.ts';

interface CallSetup {
  readonly name: string;
  readonly side: 'caller' | 'callee';
  readonly transport: Transport;
  readonly codec: BaresipCodec;
  readonly trunkCodec: 'pcmu' | 'g722' | 'opus';
  readonly encryption?: 'srtp' | 'srtp-mand';
}

const NARROW = { codec: G711, trunkCodec: 'pcmu' } as const;
const WIDE = { codec: G722, trunkCodec: 'g722' } as const;
const FULL = { codec: OPUS, trunkCodec: 'opus' } as const;
const REQUIRED = { encryption: 'srtp-mand' } as const;

/**
 * Covers each pair: codec and transport, each of both with and without SRTP, and each side as the caller over each
 * transport.
 */
const CALL_SETUPS: readonly CallSetup[] = [
  { name: 'G.711 over UDP', side: 'caller', transport: 'udp', ...NARROW },
  { name: 'Opus over UDP', side: 'caller', transport: 'udp', ...FULL },
  { name: 'G.722 over TCP with SRTP required', side: 'caller', transport: 'tcp', ...WIDE, ...REQUIRED },
  {
    name: 'Opus over TCP with SRTP offered beside RTP/AVP',
    side: 'caller',
    transport: 'tcp',
    ...FULL,
    encryption: 'srtp',
  },
  { name: 'G.711 over TLS with SRTP required', side: 'caller', transport: 'tls', ...NARROW, ...REQUIRED },
  { name: 'G.722 over TLS', side: 'caller', transport: 'tls', ...WIDE },
  { name: 'G.722 over UDP with SRTP required', side: 'callee', transport: 'udp', ...WIDE, ...REQUIRED },
  { name: 'G.711 over TCP', side: 'callee', transport: 'tcp', ...NARROW },
  { name: 'Opus over TLS with SRTP required', side: 'callee', transport: 'tls', ...FULL, ...REQUIRED },
];

/** Above the beeps of answering machines, so that no callee is detected as one. */
const NARROW_HZ = 3_000;
/** Above the bandwidth of a telephone at 8 kHz. */
const WIDE_HZ = 5_000;
/** User name of each baresip. */
const USER = '+33155555555';
const GREETING = 'Good morning, this is the agent of baresip speaking.';
/** The audio that proves a direction: far longer than the audio in transit at its start. */
const PROOF_MS = 300;
const SILENCE_MS = 500;

/** The calls run concurrently, each with its own number and agent. */
describe.skipIf(!hasPeer('baresip') || !TlsFiles.available)('baresip', { concurrent: true }, () => {
  let bed: BaresipBed;
  beforeAll(async () => {
    bed = await BaresipBed.open();
  });
  afterAll(() => bed?.close());

  it.each(CALL_SETUPS)(
    'as the $side, $name: both hear each other before and after its hold, and not during it',
    async (setup) => {
      const place = CALL_SETUPS.indexOf(setup);
      const rateHz = setup.codec.rateHz;
      const toneHz = rateHz === 8_000 ? NARROW_HZ : WIDE_HZ;
      const baresip = await bed.baresip({ ...setup, user: USER, toneHz });
      try {
        const callId = await connect(bed, setup, baresip, place);
        const heardMs = async () => toneMs(await baresip.heard(), EMULATED_VOICE_HZ, rateHz);
        const transcribedMs = (frequencyHz: number, from = 0) => {
          const { samples, rateHz: rate } = bed.transcribed(setup.name);
          return toneMs(samples.subarray(from), frequencyHz, rate);
        };
        await eventually(async () => {
          expect(await heardMs(), 'heard by baresip').toBeGreaterThanOrEqual(PROOF_MS);
          expect(transcribedMs(toneHz), 'heard by the transcriber').toBeGreaterThanOrEqual(PROOF_MS);
        });

        baresip.command('hold');
        const beforeMs = await heardBeforeSilence(baresip, heardMs);
        const samplesBefore = bed.transcribed(setup.name).samples.length;
        baresip.command('resume');
        await eventually(async () => {
          expect(await heardMs(), 'heard by baresip after the hold').toBeGreaterThanOrEqual(beforeMs + PROOF_MS);
          expect(
            transcribedMs(toneHz, samplesBefore),
            'heard by the transcriber after the hold',
          ).toBeGreaterThanOrEqual(PROOF_MS);
        });
        await eventually(async () => {
          const [first] = (await bed.test.api.call(callId)).transcript ?? [];
          expect(first?.content, 'the whole greeting was played').toBe(GREETING);
        });

        expect(toneMs(await baresip.heard(), toneHz, rateHz), 'baresip does not hear itself').toBe(0);
        expect(transcribedMs(EMULATED_VOICE_HZ), 'the agent does not hear itself').toBe(0);
        const { encoding, rateHz: transcribedHz } = bed.transcribed(setup.name);
        expect({ encoding, transcribedHz }).toEqual(
          rateHz === 8_000
            ? { encoding: 'mulaw', transcribedHz: 8_000 }
            : { encoding: 'linear16', transcribedHz: 16_000 },
        );

        baresip.command('hangup');
        const call = await bed.test.api.callIn(callId, ['completed']);
        expect(call.end_reason).toBe('caller_hangup');
        expect(call.metrics).toMatchObject({ media: { inbound: { lost: 0 } } });
        // baresip continues without a missing file, so its log must show that it loaded the file.
        expect(baresip.output).not.toContain('not found');
        expect(baresip.output.includes('SRTP is Enabled')).toBe(setup.encryption !== undefined);
      } catch (error) {
        throw new Error(`${setup.name}: ${String(error)}\n${baresip.output}`, { cause: error });
      } finally {
        await baresip.stop();
      }
    },
  );
});

/** Starts the call and resolves with its id. The agent's `custom_vocabulary` is the name of the setup. */
async function connect(bed: BaresipBed, setup: CallSetup, baresip: Baresip, place: number): Promise<string> {
  const { encryption, name, side, transport, trunkCodec } = setup;
  const agent = await bed.test.api.createAgent({
    name: 'Greeter',
    initial_message: GREETING,
    // The peer's endless tone would interrupt the agent again and again.
    interruptions: false,
    custom_vocabulary: [name],
    initial_state_name: 'talk',
    states: [{ name: 'talk' }],
  });
  const number = `+3398765432${place}`;
  // The trunk of the number sets codecs and encryption of its calls.
  const srtp = ({ none: 'off', srtp: 'optional', 'srtp-mand': 'required' } as const)[encryption ?? 'none'];
  const trunkId = await bed.trunkTo(baresip, transport, { codecs: [trunkCodec], srtp });
  await bed.number(number, { trunk_id: trunkId, inbound_agent_id: agent.id });
  if (side === 'caller') {
    baresip.command('dial', bed.dialTarget(number, transport));
    return bed.callOf('to_number', number);
  }
  const request = { from_number: number, to_number: USER, agent_id: agent.id };
  return (await bed.test.api.requestOk(z.object({ call_id: z.string() }), 'POST', '/v1/calls/phone', request)).call_id;
}

/** Waits until no new audio has come for `SILENCE_MS`. Resolves with the ms of the agent heard until then. */
async function heardBeforeSilence(baresip: Baresip, heardMs: () => Promise<number>): Promise<number> {
  let length = 0;
  let sinceMs = performance.now();
  return eventually(async () => {
    const now = (await baresip.heard()).length;
    if (now !== length) sinceMs = performance.now();
    length = now;
    expect(performance.now() - sinceMs, 'ms without new audio').toBeGreaterThanOrEqual(SILENCE_MS);
    return heardMs();
  });
}
