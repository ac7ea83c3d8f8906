import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { decodeWav, encodeWav } from '../../../../base/audio/wav.ts';
import { CallRecorder } from '../../../../sip/recorder/call-recorder.ts';
import { createRecordingMemory, RecordingReader, RecordingTrack } from '../../../../sip/recorder/recording-ring.ts';
import { unredactedPathOf } from '../../../../src/calls/recording/unredacted-recording.ts';
import { RecordingRedaction, TONE_MARGIN_MS } from '../../../../src/calls/redaction/recording-redaction.ts';
import { ScriptedSession } from '../host/scripted-host.ts';

const PACKET_MS = 20;
const PACKET_SAMPLES = 160;
const PACKETS = 100;
/** The user's samples while they say words, and a number: from its first to its last packet. */
const WORD = 4_000;
const NUMBER = 8_000;
const [NUMBER_FROM, NUMBER_TO] = [40, 60];

const ON_TIME = (packet: number) => packet;

interface Reception {
  /** The packet at whose time this one is received. Default: its own. */
  readonly receivedAt?: (packet: number) => number;
  /** Packets that the main thread gets at once. */
  readonly packetsOfPiece?: number;
}

/** The user's channel of the redacted recording. */
async function redactedUser({ packetsOfPiece = 1, receivedAt = ON_TIME }: Reception): Promise<readonly number[]> {
  const memory = createRecordingMemory();
  const recorder = new CallRecorder(memory);
  const track = new RecordingTrack(memory);
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-margin-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'call.wav');
  const redaction = new RecordingRedaction({
    path,
    session: {
      get recordedMs() {
        return track.written / 8;
      },
      audio: new ScriptedSession(null).session.audio,
    },
    spoken: { all: [{ clock: 'audio', fromMs: NUMBER_FROM * PACKET_MS, toMs: NUMBER_TO * PACKET_MS }], judgedMs: 0 },
    onFault: (error) => expect.unreachable(String(error)),
  });
  const receive = (packet: number) => {
    const isNumber = packet >= NUMBER_FROM && packet < NUMBER_TO;
    const samples = new Int16Array(PACKET_SAMPLES).fill(isNumber ? NUMBER : WORD);
    recorder.peerAudio(packet * PACKET_SAMPLES, samples, PACKET_SAMPLES);
    if ((packet + 1) % packetsOfPiece === 0) redaction.heard(new Uint8Array(packetsOfPiece * PACKET_SAMPLES));
  };
  for (let now = 0; now < PACKETS; now++) {
    recorder.agentSilent(PACKET_MS);
    for (let packet = 0; packet < PACKETS; packet++) if (receivedAt(packet) === now) receive(packet);
  }
  recorder.close();
  const frames = new Int16Array(PACKETS * PACKET_SAMPLES * 2);
  new RecordingReader(memory).read(frames, true);
  const format = { encoding: 'linear16', sampleRateHz: 8_000 } as const;
  const durationMs = PACKETS * PACKET_MS;
  await writeFile(unredactedPathOf(path), encodeWav({ format, channels: 2, data: new Uint8Array(frames.buffer) }));
  await redaction.finish({ path: unredactedPathOf(path), complete: true, durationMs });
  const { data = new Uint8Array() } = decodeWav(await readFile(path)) ?? {};
  const view = new DataView(data.buffer, data.byteOffset);
  return Array.from({ length: data.length / 4 }, (_, frame) => view.getInt16(4 * frame, true));
}

/** Up to the delay of the jitter buffer, and one more. */
const DELAYS = [0, 5, 8, 9, 10, 11];

it.each(DELAYS)(
  'no sample of a number is left if the first packets come together, the first one by %i too late',
  async (by) => {
    const user = await redactedUser({ receivedAt: (packet) => Math.max(packet, by) });
    expect(user.filter((sample) => sample === NUMBER)).toEqual([]);
  },
);

it.each(DELAYS)(
  'no sample of a number is left if all packets come late by %i from a moment before it on',
  async (by) => {
    const user = await redactedUser({ receivedAt: (packet) => (packet < NUMBER_FROM - 10 ? packet : packet + by) });
    expect(user.filter((sample) => sample === NUMBER)).toEqual([]);
  },
);

it.each([1, 5])('the tone begins early enough if the main thread gets %i packets at once', async (packetsOfPiece) => {
  const user = await redactedUser({ packetsOfPiece });
  const start = user.indexOf(WORD);
  const toneFrom = user.findIndex((sample, at) => at > start && sample !== WORD);
  // If packets come at once, the last one counts.
  const numberFrom = start + NUMBER_FROM * PACKET_SAMPLES;
  expect((numberFrom - toneFrom) / 8).toBe(TONE_MARGIN_MS.audio + PACKET_MS);
});
