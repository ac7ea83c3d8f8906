import type { TranscriberEvent, TranscriberStream } from '../../engine/ports/transcriber.ts';
import { SocketTranscriberStream, type TranscriberDeadlines, type TranscriberProtocol } from './socket-transcriber.ts';
import type { SpeechCommits } from './speech-commits.ts';

/**
 * A stream over a socket whose provider makes final what it is told to: this side listens for the pauses, and tells it. The
 * protocol's `finalize` is what tells it so.
 */
export class CommittingTranscriberStream implements TranscriberStream {
  readonly #commits: SpeechCommits;
  readonly #stream: SocketTranscriberStream;
  #emit: ((event: TranscriberEvent) => void) | undefined;
  #isReady = false;
  /** Where speech began, to be told; before the connection stands, at most once a pause of 300 ms of what is kept. */
  #begun: Extract<TranscriberEvent, { readonly type: 'speech' }>[] = [];
  /** Something was said to its end before the connection stood. */
  #commitsWhenReady = false;

  constructor(
    protocol: TranscriberProtocol,
    commits: SpeechCommits,
    deadlines: TranscriberDeadlines,
    emit: (event: TranscriberEvent) => void,
  ) {
    this.#commits = commits;
    this.#emit = emit;
    // A peer that suppresses silence sends none for the pause to be heard in.
    const listening: TranscriberProtocol = { ...protocol, paused: () => this.#commit() };
    this.#stream = new SocketTranscriberStream(listening, deadlines, (event) => this.#report(event));
  }

  write(audio: Uint8Array): void {
    if (this.#emit === undefined) return;
    this.#stream.write(audio);
    for (const spoken of this.#commits.take(audio)) {
      if (spoken.type === 'pause') this.#commit();
      else this.#begun.push(spoken);
    }
    if (this.#begun.length > 0) setImmediate(() => this.#emitBegun());
  }

  #emitBegun(): void {
    while (this.#isReady && this.#emit !== undefined) {
      const speech = this.#begun.shift();
      if (speech === undefined) return;
      this.#emit(speech);
    }
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
    this.#emitBegun();
    const emit = this.#emit;
    if (event.type === 'failed') this.#emit = undefined;
    emit?.(event);
    if (event.type !== 'ready') return;
    this.#isReady = true;
    this.#emitBegun();
    // All that was kept has just been sent.
    if (this.#commitsWhenReady && this.#emit !== undefined) this.#commit();
  }
}
