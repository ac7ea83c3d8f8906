import { MULAW_8K, PeerAudioReader } from '../../../../sip/media/main-thread/peer-audio-reader.ts';
import { PeerAudio, type PeerAudioOptions } from '../../../../sip/media/receive/peer-audio.ts';
import { createSessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';
import { WorkerStatistics } from '../../../../sip/media/worker-channel/worker-statistics.ts';
import { createOpus } from '../../../../sip/rtp/codecs/opus-codec.ts';

/** The audio of a G.711 call without a recording. `onAudio` gets what the main thread reads. */
export function peerAudioOfCall(
  options: Pick<PeerAudioOptions, 'resamplers' | 'hear' | 'hearSpeech' | 'silentMs' | 'isAgentHeard'>,
  onAudio: (audio: Uint8Array) => void,
): PeerAudio {
  const memory = createSessionMemory();
  const reader = new PeerAudioReader(memory.peerAudio, 0, 1, MULAW_8K);
  reader.listen((_, audio) => onAudio(audio));
  return new PeerAudio({
    ...options,
    skipSpeech: () => undefined,
    memory,
    slot: 0,
    generation: 1,
    format: MULAW_8K,
    opus: createOpus(),
    recorder: null,
    statistics: new WorkerStatistics(),
    ready: () => reader.collect(),
  });
}
