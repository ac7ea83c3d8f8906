import type { AudioFormat } from '../../../../base/audio/audio-format.ts';
import type { Resamplers } from '../../../../base/audio/resampler.ts';
import type { MediaEvent } from '../../../../engine/ports/media.ts';
import { AgentAudioWriter } from '../../../../sip/media/main-thread/agent-audio-writer.ts';
import { Playout } from '../../../../sip/media/send/playout.ts';
import { PlayoutTranscoder } from '../../../../sip/media/send/playout-transcoder.ts';
import { CODEC_MULAW } from '../../../../sip/media/worker-channel/audio-frame.ts';
import { createSessionMemory, type SessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';

export const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8000 };
export const PACKET = 160;

interface PlayerOptions {
  readonly wire?: number | undefined;
  readonly memory?: SessionMemory | undefined;
  readonly generation?: number | undefined;
}

/** A playout with the writer that feeds it. */
export interface Player {
  readonly memory: SessionMemory;
  readonly writer: AgentAudioWriter;
  readonly playout: Playout;
  readonly events: MediaEvent[];
  /** Plays one packet and returns the part of it that came from the queue. */
  packet(): Uint8Array;
}

export function playerOn(
  resamplers: Resamplers,
  { wire = CODEC_MULAW, memory = createSessionMemory(), generation = 1 }: PlayerOptions = {},
): Player {
  const transcoder = new PlayoutTranscoder(resamplers);
  transcoder.outputCodec = wire;
  const playout = new Playout(memory, 3, generation, transcoder);
  const events: MediaEvent[] = [];
  const packet = () => {
    const out = new Uint8Array(PACKET);
    const count = playout.fill(out, 0, PACKET);
    playout.emitMarks((event) => events.push(event));
    return out.slice(0, count);
  };
  return { memory, writer: new AgentAudioWriter(memory, 3, 1), playout, events, packet };
}

/** Plays all queued audio, packet by packet, and refills the ring like the main thread. */
export function drain({ packet, writer }: Player): Uint8Array {
  const packets: Uint8Array[] = [];
  for (let next = packet(); next.length > 0; next = packet()) {
    packets.push(next);
    writer.refill();
  }
  return Buffer.concat(packets);
}
