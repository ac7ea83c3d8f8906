import type { TranscriberDeadlines } from '../../../adapters/socket-transcriber/socket-transcriber.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Transcriber } from '../../../engine/ports/transcriber.ts';
import type { Refusal } from '../../providers/socket/refused-upgrade.ts';
import type { AudioAction, CommitScript } from '../../providers/socket/transcriber-script.ts';
import { toneBytes } from '../../providers/speech/tone-speech.ts';
import { STREAM_FAILURES } from './failure.ts';
import { type TranscriberContractOptions, type TranscriberScenario, transcriberContract } from './transcriber.ts';
import { transcriberDeadlines, transcriberOpenMs } from './transcriber-timing.ts';

export const FORMATS: readonly AudioFormat[] = [
  { encoding: 'mulaw', sampleRateHz: 8_000 },
  { encoding: 'alaw', sampleRateHz: 8_000 },
  { encoding: 'linear16', sampleRateHz: 16_000 },
];

const SILENT_BYTE = { mulaw: 0xff, alaw: 0xd5, linear16: 0 } as const;
const TEXT = 'I would like a table.';

export function silence({ encoding, sampleRateHz }: AudioFormat, ms: number): Buffer {
  return Buffer.alloc((sampleRateHz / 1000) * ms * (encoding === 'linear16' ? 2 : 1), SILENT_BYTE[encoding]);
}

export function voice({ encoding, sampleRateHz }: AudioFormat, ms: number): Buffer {
  return toneBytes(encoding, sampleRateHz, ms);
}

/** The contract's scenarios for a provider that sends a final transcript after each commit. */
function commitScriptOf(scenario: TranscriberScenario): CommitScript {
  const at100 = (action: AudioAction) => ({ steps: [{ audioMs: 100, action }] });
  const transcribed = {
    steps: [{ audioMs: 200, action: { type: 'words', text: 'I would' } }],
    final: () => ` ${TEXT}\n`,
  } as const;
  switch (scenario) {
    case 'transcribes':
    case 'slow':
      return transcribed;
    case 'doubled':
      return { ...transcribed, doubled: true };
    case 'malformed':
      return at100({ type: 'send_raw', text: '{"type":"conv' });
    case 'closed':
      return at100({ type: 'close', code: 1011 });
    case 'reset':
    case 'half_frame':
      return at100({ type: scenario });
    case 'stalled':
      return at100({ type: 'stall' });
    default:
      return {};
  }
}

function refusalOf(scenario: TranscriberScenario): Refusal | undefined {
  if (scenario === 'unauthorized') return { status: 401 };
  if (scenario === 'rate_limited') return { status: 429, headers: { 'Retry-After': '7' } };
  return scenario === 'server_error' ? { status: 500 } : undefined;
}

/** One second of audio with speech from 100 to 400 ms. */
function committingContract(format: AudioFormat): TranscriberContractOptions {
  return {
    failures: STREAM_FAILURES,
    audioMs: 1_000,
    frameAt: (ms) => (ms >= 100 && ms < 400 ? voice(format, 20) : silence(format, 20)),
    events: [
      { type: 'interim', text: 'I would' },
      { type: 'final', text: TEXT, words: [], startMs: 100, endMs: 400 },
    ],
  };
}

/** How the emulator behaves in a scenario. */
export interface CommitEmulation {
  readonly hear: () => CommitScript;
  readonly refuse: () => Refusal | undefined;
  readonly openMs: number;
}

interface EmulatedTranscriber {
  readonly apiKey: string;
  readonly connections: number;
  readonly openSockets: number;
  close(): Promise<void>;
}

/** A transcriber that commits by itself, and the emulator of its provider. */
export interface CommittingTranscriber<Emulator extends EmulatedTranscriber> {
  readonly start: (emulation: CommitEmulation) => Promise<Emulator>;
  readonly createTranscriber: (emulator: Emulator, deadlines: TranscriberDeadlines) => Transcriber;
}

/** The contract of the port, in each format of a call. */
export function committingTranscriberContract<Emulator extends EmulatedTranscriber>(
  name: string,
  transcriber: CommittingTranscriber<Emulator>,
): void {
  for (const format of FORMATS)
    transcriberContract(
      `${name} (${format.encoding})`,
      (scenario) => subjectOf(transcriber, scenario, format),
      committingContract(format),
    );
}

async function subjectOf<Emulator extends EmulatedTranscriber>(
  { createTranscriber, start }: CommittingTranscriber<Emulator>,
  scenario: TranscriberScenario,
  format: AudioFormat,
) {
  const emulator = await start({
    hear: () => commitScriptOf(scenario),
    refuse: () => refusalOf(scenario),
    openMs: transcriberOpenMs(scenario),
  });
  if (scenario === 'refused_connection') await emulator.close();
  return {
    transcriber: createTranscriber(emulator, transcriberDeadlines(scenario)),
    format,
    secret: emulator.apiKey,
    requestCount: () => emulator.connections,
    openSockets: () => emulator.openSockets,
    close: () => (scenario === 'refused_connection' ? Promise.resolve() : emulator.close()),
  };
}
