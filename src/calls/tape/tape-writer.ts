import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AudioFormat, durationMs } from '../../../base/audio/audio-format.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import { OutcomeCollector } from '../../../engine/tape/call-outcome.ts';
import { formatTapeEntry, formatTapeHeader } from '../../../engine/tape/tape-file.ts';
import { TAPE_VERSION, type TapeEntry } from '../../../engine/tape/tape-format.ts';
import { numberMask } from '../../log/number-mask.ts';
import { MaskedDigits } from './masked-digits.ts';
import { GrowingFile, GrowingWav } from './tape-files.ts';
import { VoiceTrack } from './voice-track.ts';

/** Bytes that may wait for the disk; a tape that falls further behind ends, and the call continues. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** The tape of one call. No method waits or throws. */
export interface TapeWriter {
  write(entry: TapeEntry): void;
  /** The user's audio as received. The bytes are copied. */
  heard(audio: Uint8Array): void;
  /** Audio of a segment as it came from the voice. The bytes are copied. */
  spoken(segment: number, format: AudioFormat, audio: Uint8Array): void;
  /** Resolves once the folder is complete, or writing has failed. */
  close(): Promise<void>;
  /** Deletes what was written, instead of `close`. Never rejects. */
  discard(): Promise<void>;
}

/**
 * Writes the tape of one call into a folder: see `engine/tape/tape-format.ts`. A disk that fails or is too slow ends the tape, never the
 * call; `onLost` reports it once. Rejects if the folder cannot be made.
 */
export async function openTape(
  directory: string,
  agent: AgentConfiguration,
  parameters: CallParameters,
  format: AudioFormat,
  onLost: (error: Error) => void,
): Promise<TapeWriter> {
  const masked = numberMask([parameters.fromNumber, parameters.toNumber], zeroed);
  const ownerOnly = { mode: 0o600 };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'agent.json'), masked(`${JSON.stringify(agent, null, 2)}\n`), ownerOnly);
  const outcome = new OutcomeCollector();
  let lost = false;
  const lose = (error: Error) => {
    if (lost) return;
    lost = true;
    for (const file of files) file.abandon();
    onLost(error);
  };
  const log = new GrowingFile(join(directory, 'tape.jsonl'), lose);
  const caller = new GrowingWav(join(directory, 'caller.wav'), format, lose);
  const voice = new VoiceTrack(join(directory, 'voice.wav'), format, lose);
  const files = [log, caller, voice];
  log.write(masked(formatTapeHeader({ tape: TAPE_VERSION, parameters, format })));

  const digits = new MaskedDigits(masked);
  const writeEntries = (entries: readonly TapeEntry[]) => {
    for (const entry of entries) log.write(masked(formatTapeEntry(entry)));
  };
  const unlessLost = (act: () => void) => {
    if (lost) return;
    const waiting = files.reduce((sum, file) => sum + file.waitingBytes, 0);
    if (waiting > WAITING_BYTES_MAX) lose(new Error('the disk is too slow for the tape'));
    else act();
  };
  return {
    write: (entry) =>
      unlessLost(() => {
        writeEntries(digits.take(entry));
        outcome.add(entry);
        voice.follow(entry);
      }),
    heard: (audio) => unlessLost(() => caller.write(audio.slice())),
    spoken: (segment, spokenFormat, audio) => {
      if (durationMs(spokenFormat, audio.length) > 0)
        unlessLost(() => voice.take(segment, spokenFormat, audio.slice()));
    },
    async discard() {
      lost = true;
      for (const file of files) file.abandon();
      await rm(directory, { recursive: true, force: true }).catch(onLost);
    },
    async close() {
      if (lost) return;
      writeEntries(digits.end());
      try {
        await Promise.all(files.map((file) => file.close()));
        const expected = masked(`${JSON.stringify(outcome.outcome(), null, 2)}\n`);
        await writeFile(join(directory, 'expected.json'), expected, ownerOnly);
      } catch (error) {
        lose(error instanceof Error ? error : new Error(String(error)));
      }
    },
  };
}

/**
 * The middle of a number as zeros: the engine's rules never look into a number, so a tape with other digits replays like the call.
 * They stay digits, which DTMF can spell.
 */
function zeroed(digits: string): string {
  return digits.slice(0, 2) + '0'.repeat(digits.length - 4) + digits.slice(-2);
}
