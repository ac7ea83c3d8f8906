import type { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type {
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberStream,
  TranscriberTraits,
} from '../../../engine/ports/transcriber.ts';
import type { Scenario } from './scenario.ts';

const DEFAULT_READY_SECONDS = 0.05;

/** Opens streams as the scenario describes. The test emits the events of the newest stream. */
export class SimulatedTranscriber implements Transcriber {
  readonly traitsOf: Transcriber['traitsOf'];
  /** Each stream that was opened, and how much audio it received. */
  readonly streams: { readonly options: TranscriberOptions; bytes: number; closed: boolean }[] = [];
  /** Called when a stream is closed. */
  onClose: () => void = () => {};
  writesFail = false;
  /** Emits an event of the newest stream. */
  emit: (event: TranscriberEvent) => void = () => {};
  readonly #scenario: Scenario;
  readonly #clock: SimulatedClock;

  constructor(scenario: Scenario, traits: TranscriberTraits, clock: SimulatedClock) {
    this.#scenario = scenario;
    this.traitsOf = () => traits;
    this.#clock = clock;
  }

  open(options: TranscriberOptions, emit: (event: TranscriberEvent) => void): TranscriberStream {
    const isFirst = this.streams.length === 0;
    const script = this.#scenario.transcriberStreams?.[this.streams.length] ?? { neverReady: isFirst };
    const stream = { options, bytes: 0, closed: false };
    this.streams.push(stream);
    this.emit = emit;
    this.#clock.after((script.readyAfter ?? DEFAULT_READY_SECONDS) * 1000, () => {
      if (stream.closed) return;
      if (script.failsWith !== undefined) {
        emit({ type: 'failed', error: { provider: 'test', code: 'closed', message: 'no', ...script.failsWith } });
      } else if (script.neverReady !== true) emit({ type: 'ready' });
    });
    return {
      write: (audio) => {
        stream.bytes += audio.length;
        if (this.writesFail) throw new Error('injected');
      },
      finalize: () => {},
      close: () => {
        stream.closed = true;
        this.onClose();
      },
    };
  }
}
