import { afterEach, expect } from 'vitest';
import type { StreamedLanguageModel } from '../../../adapters/streamed-model/streamed-language-model.ts';
import type { ModelEvent, ModelRequest } from '../../../engine/ports/language-model.ts';
import type { StreamEmulator } from '../../providers/stream/stream-emulator.ts';
import type { StreamAnswer } from '../../providers/stream/stream-script.ts';
import { EventLog, waitFor } from './event-log.ts';
import { CONTRACT_MODEL_REQUEST } from './language-model.ts';
import { type StreamedModelSubject, WIDE_DEADLINES } from './streamed-model.ts';

/** Sends one request to an adapter whose emulated provider gives one answer. Closes both after each test. */
export class ModelRig {
  readonly #subject: Pick<StreamedModelSubject, 'start' | 'create'>;
  #emulator: StreamEmulator<unknown> | undefined;
  #model: StreamedLanguageModel | undefined;

  /** Call it inside a `describe`: it registers an `afterEach`. */
  constructor(subject: Pick<StreamedModelSubject, 'start' | 'create'>) {
    this.#subject = subject;
    afterEach(async () => {
      await this.#model?.close();
      await this.#emulator?.close();
    });
  }

  /** Bodies of the requests that the emulator accepted. */
  get requests(): readonly unknown[] {
    return this.#emulator?.requests ?? [];
  }

  /** Resolves with all events of the generation once it has ended. */
  async ask(answer: StreamAnswer, request: ModelRequest = CONTRACT_MODEL_REQUEST): Promise<EventLog<ModelEvent>> {
    const emulator = await this.#subject.start(answer);
    const model = this.#subject.create(emulator, WIDE_DEADLINES);
    this.#emulator = emulator;
    this.#model = model;
    const log = new EventLog<ModelEvent>();
    log.call(() => model.generate(request, log.emit));
    await waitFor(() => expect(['done', 'failed']).toContain(log.events.at(-1)?.type));
    return log;
  }
}
