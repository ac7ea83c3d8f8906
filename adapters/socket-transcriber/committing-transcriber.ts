import type {
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberStream,
  TranscriberTraits,
} from '../../engine/ports/transcriber.ts';
import { SocketTranscriberStream, type TranscriberDeadlines, type TranscriberProtocol } from './socket-transcriber.ts';
import { SpeechCommits } from './speech-commits.ts';

/** A transcriber for a provider that finalizes on request. `protocolOf` is called for each stream. */
export function createCommittingTranscriber(
  traits: TranscriberTraits,
  deadlines: TranscriberDeadlines,
  protocolOf: (options: TranscriberOptions, commits: SpeechCommits) => TranscriberProtocol,
): Transcriber {
  return {
    traitsOf: () => traits,
    open: (options, emit) => {
      const commits = new SpeechCommits(options.format);
      return new CommittingTranscriberStream(protocolOf(options, commits), commits, deadlines, emit);
    },
  };
}

/**
 * A stream for providers that finalize on request. It detects pauses by loudness and sends the protocol's `finalize`.
 */
class CommittingTranscriberStream implements TranscriberStream {
  readonly #commits: SpeechCommits;
  readonly #stream: SocketTranscriberStream;
  #emit: ((event: TranscriberEvent) => void) | undefined;
  #isReady = false;
  /** An utterance ended before the connection was open. */
  #commitsWhenReady = false;

  constructor(
    protocol: TranscriberProtocol,
    commits: SpeechCommits,
    deadlines: TranscriberDeadlines,
    emit: (event: TranscriberEvent) => void,
  ) {
    this.#commits = commits;
    this.#emit = emit;
    // A peer that suppresses silence sends no audio in which a pause could be detected.
    const listening: TranscriberProtocol = { ...protocol, paused: () => this.#commit() };
    this.#stream = new SocketTranscriberStream(listening, deadlines, (event) => this.#report(event));
  }

  write(audio: Uint8Array): void {
    if (this.#emit === undefined) return;
    this.#stream.write(audio);
    if (this.#commits.take(audio)) this.#commit();
  }

  finalize(): void {
    if (this.#emit !== undefined) this.#commit();
  }

  close(): void {
    this.#emit = undefined;
    this.#stream.close();
  }

  #commit(): void {
    if (!this.#isReady) this.#commitsWhenReady = true;
    else if (this.#commits.commit()) this.#stream.finalize();
  }

  #report(event: TranscriberEvent): void {
    const emit = this.#emit;
    if (event.type === 'failed') this.#emit = undefined;
    emit?.(event);
    if (event.type !== 'ready') return;
    this.#isReady = true;
    // The buffered audio has just been sent.
    if (this.#commitsWhenReady && this.#emit !== undefined) this.#commit();
  }
}
