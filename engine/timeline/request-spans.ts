import type { CallCommand } from '../core/command.ts';
import type { InboxRecord } from '../core/event.ts';
import type { ModelUsage } from '../ports/language-model.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import type { CallSpan, SpanOutcome } from './call-span.ts';

interface OpenModelRequest {
  readonly fromUs: number;
  readonly provider: string;
  readonly model: string;
  readonly firstTokenUs: number | null;
  readonly firstTextUs: number | null;
}

interface OpenVoiceRequest {
  readonly fromUs: number;
  readonly provider: string | null;
}

interface TranscriberFailure {
  readonly fromUs: number;
  readonly error: string;
  /** The only evidence is speech without words, which may be a mere sound. */
  readonly isSuspected: boolean;
}

/** Waits for the three providers: request to first token and text, text to first audio, failures. */
export class RequestSpans {
  readonly #models = new Map<number, OpenModelRequest>();
  /** By segment. */
  readonly #segments = new Map<number, OpenVoiceRequest>();
  #voiceProvider: string | null = null;
  #transcriberFailure: TranscriberFailure | null = null;

  add(record: InboxRecord): readonly CallSpan[] {
    const failure = failureIn(record.commands);
    return [
      ...this.#onEvent(record),
      ...record.commands.flatMap((command) => this.#onCommand(command, record.atUs, failure)),
    ];
  }

  #onEvent({ event, atUs }: InboxRecord): readonly CallSpan[] {
    switch (event.type) {
      case 'model.first_token':
        return this.#modelStage(event.generation, 'firstTokenUs', atUs);
      case 'model.sentence':
      case 'model.tool_call':
        return this.#modelStage(event.generation, 'firstTextUs', atUs);
      case 'model.done':
        return this.#endModel(event.generation, atUs, 'answered', null, event.usage);
      case 'model.failed':
        return this.#endModel(event.generation, atUs, 'failed', describeProviderError(event.error));
      case 'voice.started':
      case 'voice.done':
        return this.#endVoice(event.segment, atUs, 'answered', null);
      case 'voice.failed':
        return this.#endVoice(event.segment, atUs, 'failed', describeProviderError(event.error));
      case 'transcriber.failed':
        this.#transcriberFailed(atUs, describeProviderError(event.error));
        return [];
      case 'media.speech_started':
        this.#forgetSuspicion();
        return [];
      case 'transcriber.interim':
      case 'transcriber.final':
      case 'transcriber.turn':
        return event.text === '' ? [] : this.#transcriberWorks(atUs);
      case 'control.ended':
        return this.#callEnds(atUs);
      default:
        return [];
    }
  }

  #onCommand(command: CallCommand, atUs: number, failure: ProviderFailure | null): readonly CallSpan[] {
    const errorOf = (kind: ProviderFailure['kind']) => (failure?.kind === kind ? failure.error : null);
    switch (command.type) {
      case 'model.request': {
        const { model, provider } = command.request;
        this.#models.set(command.generation, { fromUs: atUs, provider, model, firstTokenUs: null, firstTextUs: null });
        return [];
      }
      case 'model.cancel': {
        const error = errorOf('language_model');
        return this.#endModel(command.generation, atUs, error === null ? 'cancelled' : 'failed', error);
      }
      case 'voice.open':
        this.#voiceProvider = command.options.provider;
        return [];
      case 'voice.speak':
        this.#segments.set(command.segment, { fromUs: atUs, provider: this.#voiceProvider });
        return [];
      case 'voice.cancel':
        return this.#cancelVoice(command.from, atUs, errorOf('voice'));
      case 'voice.close':
        return this.#cancelVoice(0, atUs, errorOf('voice'));
      case 'log':
        return this.#onNotice(command.notice, atUs);
      default:
        return [];
    }
  }

  #onNotice(notice: Extract<CallCommand, { readonly type: 'log' }>['notice'], atUs: number): readonly CallSpan[] {
    switch (notice.type) {
      case 'provider_failed':
      case 'provider_failed_over': {
        const { kind, error } = notice;
        const [provider, next] = notice.type === 'provider_failed' ? [notice.provider, null] : [notice.from, notice.to];
        if (kind === 'transcriber') this.#transcriberFailed(atUs, error);
        return [{ type: 'provider_failure', kind, provider, next, error, fromUs: atUs, toUs: atUs }];
      }
      case 'transcriber_reopened':
        this.#transcriberFailed(atUs, `no words of ${notice.speechMs} ms of speech`, true);
        return [];
      default:
        return [];
    }
  }

  #modelStage(generation: number, stage: 'firstTokenUs' | 'firstTextUs', atUs: number): readonly CallSpan[] {
    const request = this.#models.get(generation);
    if (request !== undefined && request[stage] === null) this.#models.set(generation, { ...request, [stage]: atUs });
    return [];
  }

  #endModel(
    generation: number,
    toUs: number,
    outcome: SpanOutcome,
    error: string | null,
    usage?: ModelUsage,
  ): readonly CallSpan[] {
    const request = this.#models.get(generation);
    if (request === undefined) return [];
    this.#models.delete(generation);
    const tokens = usage && { usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } };
    return [{ type: 'model', ...request, toUs, outcome, error, ...tokens }];
  }

  #endVoice(segment: number, toUs: number, outcome: SpanOutcome, error: string | null): readonly CallSpan[] {
    const request = this.#segments.get(segment);
    if (request === undefined) return [];
    this.#segments.delete(segment);
    const { fromUs, provider } = request;
    return [{ type: 'voice', fromUs, toUs, outcome, error, ...(provider !== null && { provider }) }];
  }

  #cancelVoice(from: number, toUs: number, error: string | null): readonly CallSpan[] {
    const cancelled = [...this.#segments.keys()].filter((segment) => segment >= from);
    const outcome = error === null ? 'cancelled' : 'failed';
    return cancelled.flatMap((segment) => this.#endVoice(segment, toUs, outcome, error));
  }

  #transcriberFailed(fromUs: number, error: string, isSuspected = false): void {
    if (this.#transcriberFailure?.isSuspected ?? true) this.#transcriberFailure = { fromUs, error, isSuspected };
  }

  /** Words of other speech do not prove that those before were missed. */
  #forgetSuspicion(): void {
    if (this.#transcriberFailure?.isSuspected === true) this.#transcriberFailure = null;
  }

  #transcriberWorks(toUs: number): readonly CallSpan[] {
    const failure = this.#transcriberFailure;
    this.#transcriberFailure = null;
    if (failure === null) return [];
    const { error, fromUs } = failure;
    return [{ type: 'transcriber_failure', error, fromUs, toUs }];
  }

  #callEnds(atUs: number): readonly CallSpan[] {
    this.#forgetSuspicion();
    return [
      ...[...this.#models.keys()].flatMap((generation) => this.#endModel(generation, atUs, 'cancelled', null)),
      ...this.#cancelVoice(0, atUs, null),
      ...this.#transcriberWorks(atUs),
    ];
  }
}

interface ProviderFailure {
  readonly kind: 'transcriber' | 'language_model' | 'voice';
  readonly error: string;
}

/** The rules have given up a request, for example after its timeout. */
function failureIn(commands: readonly CallCommand[]): ProviderFailure | null {
  for (const command of commands) {
    if (command.type !== 'log') continue;
    const { notice } = command;
    if (notice.type === 'provider_failed' || notice.type === 'provider_failed_over')
      return { kind: notice.kind, error: notice.error };
  }
  return null;
}
