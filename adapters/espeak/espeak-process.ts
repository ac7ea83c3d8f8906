import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { AudioFormat } from '../../base/audio/audio-format.ts';
import { WavStream } from '../audio/wav-stream.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { SegmentRun, SegmentSink } from '../segmented-voice/segment-source.ts';

/** The rate of its voices; the WAV header states it too. */
const PLAIN: AudioFormat = { encoding: 'linear16', sampleRateHz: 22_050 };

/**
 * The program gets nothing of our environment, which contains keys. Without a PATH the system's own folders are
 * searched.
 */
const ENVIRONMENT = { LC_ALL: 'C.UTF-8' };

/** One segment: a process that reads the text and writes a WAV. It blocks on a full pipe until its turn. */
export class EspeakProcess implements SegmentRun {
  readonly #sink: SegmentSink;
  readonly #wav = new WavStream(PLAIN);
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  #isOver = false;

  constructor(path: string, args: readonly string[], text: string, sink: SegmentSink) {
    this.#sink = sink;
    this.#child = spawn(path, args, { stdio: ['pipe', 'pipe', 'ignore'], env: ENVIRONMENT });
    this.#child.on('error', (error) => this.#notStarted(error));
    this.#child.on('close', (code) => this.#closed(code));
    // The listener is attached at once: when a process ends, Node drains a stream without a reader, and the audio is
    // lost.
    this.#child.stdout.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#child.stdout.pause();
    // The process may end before it has read all input; its exit code then reports the failure.
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdin.end(text);
  }

  becomeFirst(): void {
    this.#child.stdout.resume();
  }

  drop(): void {
    this.#isOver = true;
    this.#child.stdout.destroy();
    this.#child.kill('SIGKILL');
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    const chunk = this.#wav.take(bytes);
    if (chunk.type === 'audio') this.#sink.audio(chunk.format, chunk.audio);
    if (chunk.type === 'unplayable') {
      this.drop();
      this.#sink.failed(providerFailure('espeak', 'malformed', chunk.why));
    }
  }

  #notStarted(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
    const message =
      code === 'ENOENT'
        ? 'espeak-ng is not installed: install it or set ESPEAK_PATH'
        : `espeak-ng cannot be started (${code})`;
    // A retry during the call cannot succeed.
    this.#sink.failed(providerFailure('espeak', 'unavailable', message, { retryable: false }));
  }

  #closed(code: number | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (code === 0) this.#sink.done();
    else if (code === null) this.#sink.failed(providerFailure('espeak', 'closed', 'espeak-ng was killed'));
    else this.#sink.failed(providerFailure('espeak', 'bad_request', `espeak-ng refused the voice (exit code ${code})`));
  }
}
