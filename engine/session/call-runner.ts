import type { CallCommand } from '../core/command.ts';
import type { CallEvent, InboxEntry } from '../core/event.ts';
import type { EngineNotice, FailingPort } from '../core/notice.ts';
import type { EndReason } from '../ports/end-reason.ts';
import type { TranscriptEntry } from '../ports/journal.ts';
import type { KnowledgeResult } from '../ports/knowledge.ts';
import type { CallOptions, CallView } from './call-handle.ts';
import type { CallPorts } from './call-ports.ts';
import { CallTimers } from './call-timers.ts';
import { activityOf, viewOf } from './call-view.ts';
import { type Claim, Inbox, type Post } from './inbox/inbox.ts';
import { controlCallEvent, mediaCallEvent } from './inbox/port-events.ts';
import { type CallState, hasEnded, initialCallState, processInboxEntry } from './process-inbox-entry.ts';
import { GenerationStreams } from './streams/generation-streams.ts';
import { phrasesToCache } from './streams/phrases-to-cache.ts';
import { UserAudioToTranscriber } from './streams/user-audio-to-transcriber.ts';
import { VoiceToPlayout } from './streams/voice-to-playout.ts';

/** Audio that the acoustic end-of-turn model hears, in ms. */
const JUDGED_AUDIO_MS = 8_000;

type ProviderCommand = Extract<
  CallCommand,
  { readonly type: `${'model' | 'extraction' | 'summary' | 'transcriber' | 'voice'}.${string}` }
>;

/**
 * Runs one call: port events go into the inbox, `processInboxEntry` decides, and the commands go to the ports. An exception of a
 * port affects only this call: it becomes the failure event of that port.
 */
export class CallRunner {
  readonly ended: Promise<EndReason>;
  #state: CallState;
  #lastSnapshot: NonNullable<CallState['snapshot']>;
  #seq = 0;
  #lastUs = 0;
  #closed = false;
  #endReason: EndReason = 'internal_error';
  readonly #transcript = new Map<number, TranscriptEntry>();
  readonly #options: CallOptions;
  readonly #ports: CallPorts;
  readonly #inbox: Inbox;
  readonly #timers: CallTimers;
  readonly #models: GenerationStreams;
  readonly #voice: VoiceToPlayout;
  readonly #userAudio: UserAudioToTranscriber;
  readonly #resolveEnded: (reason: EndReason) => void;

  constructor(options: CallOptions) {
    const { compiled, parameters, ports } = options;
    this.#options = options;
    this.#ports = ports;
    const ended = Promise.withResolvers<EndReason>();
    this.ended = ended.promise;
    this.#resolveEnded = ended.resolve;
    this.#state = initialCallState(compiled, parameters);
    if (this.#state.snapshot === null) throw new Error('the initial call state has no snapshot');
    this.#lastSnapshot = this.#state.snapshot;
    this.#inbox = new Inbox((event) => this.#process(event));
    const post: Post = (event, isStillWanted) => this.post(event, isStillWanted);
    this.#timers = new CallTimers(ports.clock, post);
    this.#models = new GenerationStreams(ports.model, compiled.agent.language, post);
    this.#voice = new VoiceToPlayout(ports.voice, ports.media, post, phrasesToCache(compiled.agent));
    const keptMs = ports.endOfTurnModel === undefined ? 0 : JUDGED_AUDIO_MS;
    this.#userAudio = new UserAudioToTranscriber(ports.transcriber, ports.media, post, keptMs);
  }

  start(): void {
    const { media, control } = this.#ports;
    media.onEvent((event) => this.post(mediaCallEvent(event)));
    media.onDrained(() => this.#voice.drain());
    control.onEvent((event) => this.post(controlCallEvent(event)));
    this.post(this.#options.firstEvent);
  }

  post(event: CallEvent, isStillWanted?: Claim): void {
    if (!this.#closed) this.#inbox.post(event, isStillWanted);
  }

  view(): CallView {
    return viewOf(this.#state, this.#lastSnapshot, this.#transcript);
  }

  activity(): Pick<CallView, 'agentState' | 'state'> {
    return activityOf(this.#state, this.#lastSnapshot);
  }

  #process(event: CallEvent): void {
    if (this.#closed || hasEnded(this.#state)) return;
    this.#lastUs = Math.max(this.#lastUs, this.#ports.clock.nowUs());
    const { audioMs } = this.#userAudio;
    const entry: InboxEntry = { seq: this.#seq++, atUs: this.#lastUs, ...(audioMs === null ? {} : { audioMs }), event };
    const { state, commands, error } = processInboxEntry(this.#state, entry);
    this.#state = state;
    this.#lastSnapshot = state.snapshot ?? this.#lastSnapshot;
    if (error !== undefined) {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#log({ type: 'rule_failed', error: stack });
    }
    this.#record(entry, commands);
    for (const command of commands) this.#carryOut(command);
  }

  /** A failed tape write does not affect the call. */
  #record(entry: InboxEntry, commands: readonly CallCommand[]): void {
    try {
      this.#options.tape?.({ ...entry, commands }, this.#state);
    } catch (cause) {
      this.#log({ type: 'tape_write_failed', error: String(cause) });
    }
  }

  #carryOut(command: CallCommand): void {
    if (this.#closed) return;
    switch (command.type) {
      case 'call.close':
        this.#close();
        break;
      case 'timer.start':
        this.#timers.start(command.timer, command.delayMs);
        break;
      case 'timer.stop':
        this.#timers.stop(command.timer);
        break;
      case 'log':
        this.#log(command.notice);
        break;
      case 'journal.write':
        this.#write(command);
        break;
      case 'call.answer':
      case 'call.hang_up':
      case 'call.transfer':
        this.#orPostFailure('control', { type: 'control.ended', cause: 'sip_error' }, () => this.#toControl(command));
        break;
      case 'playout.clear':
      case 'playout.pause':
      case 'playout.resume':
      case 'playout.dtmf':
        this.#orPostFailure('media', { type: 'media.failed', message: 'the playout threw' }, () =>
          this.#toPlayout(command),
        );
        break;
      case 'tones.listen':
        this.#orLogFailure('media', () => this.#ports.media.listenForTones(command.on));
        break;
      case 'tool.run':
        this.#runTool(command);
        break;
      case 'end_of_turn.judge':
        this.#orLogFailure('transcriber', () => this.#judgeEndOfTurn(command));
        break;
      case 'knowledge.search':
        this.#searchKnowledge(command);
        break;
      default:
        this.#toProvider(command);
    }
  }

  /** Commands to the transcriber, the language model and the voice. */
  #toProvider(command: ProviderCommand): void {
    switch (command.type) {
      case 'model.request':
        this.#models.request(command.generation, command.request);
        break;
      case 'model.cancel':
        this.#orLogFailure('language_model', () => this.#models.cancel(command.generation));
        break;
      case 'extraction.request':
        this.#models.extract(command.extraction, command.request);
        break;
      case 'extraction.cancel':
        this.#orLogFailure('language_model', () => this.#models.cancelExtraction(command.extraction));
        break;
      case 'summary.request':
        this.#models.summarise(command.summary, command.request);
        break;
      case 'summary.cancel':
        this.#orLogFailure('language_model', () => this.#models.cancelSummary(command.summary));
        break;
      case 'transcriber.open':
        this.#openTranscriber(command);
        break;
      case 'transcriber.finalize':
        this.#orLogFailure('transcriber', () => this.#userAudio.finalize());
        break;
      case 'transcriber.configure':
        this.#orLogFailure('transcriber', () => this.#userAudio.configure(command.change));
        break;
      case 'transcriber.close':
        this.#orLogFailure('transcriber', () => this.#userAudio.close());
        break;
      case 'voice.open':
        this.#voice.openStream(command.options);
        break;
      case 'voice.speak':
        this.#speak(command);
        break;
      case 'voice.cancel':
        this.#orLogFailure('voice', () => this.#voice.cancel(command.from));
        break;
      case 'voice.close':
        this.#orLogFailure('voice', () => this.#voice.close());
        break;
      default:
        command satisfies never;
    }
  }

  #toControl(command: Extract<CallCommand, { readonly type: `call.${string}` }>): void {
    const { control } = this.#ports;
    if (command.type === 'call.answer') control.answer();
    if (command.type === 'call.hang_up') control.hangUp();
    if (command.type === 'call.transfer') control.transfer(command.request);
  }

  #toPlayout(command: Extract<CallCommand, { readonly type: `playout.${string}` }>): void {
    const { media } = this.#ports;
    if (command.type === 'playout.clear') media.clear(command.utterance);
    if (command.type === 'playout.pause') media.pause();
    if (command.type === 'playout.resume') media.resume();
    if (command.type === 'playout.dtmf') media.sendDtmf(command.digits);
  }

  #openTranscriber({ options, fromMs }: Extract<CallCommand, { readonly type: 'transcriber.open' }>): void {
    const lostMs = this.#userAudio.open(options, fromMs);
    if (lostMs > 0) this.#log({ type: 'user_audio_lost', lostMs: Math.round(lostMs) });
  }

  #speak(command: Extract<CallCommand, { readonly type: 'voice.speak' }>): void {
    const { utterance, segment, text } = command;
    const spoken = this.#lastSnapshot.context.reply?.segments.find(({ number }) => number === segment);
    try {
      this.#voice.speak(
        utterance,
        segment,
        text,
        this.#options.compiled.agent.interruptions && spoken?.interruptible === true,
      );
    } catch (cause) {
      const error = { provider: '', code: 'closed', message: String(cause), retryable: true } as const;
      this.post({ type: 'voice.failed', segment, durationMs: 0, error });
    }
  }

  #runTool({ toolCallId, run }: Extract<CallCommand, { readonly type: 'tool.run' }>): void {
    try {
      this.#ports.tools.run(run, (result) => this.post({ type: 'tool.result', toolCallId, result }), toolCallId);
    } catch (cause) {
      const result = { successful: false, content: 'The function could not be run.', mapped: [] };
      this.#logPortFailure('tools', cause);
      this.post({ type: 'tool.result', toolCallId, result });
    }
  }

  #judgeEndOfTurn({ atMs }: Extract<CallCommand, { readonly type: 'end_of_turn.judge' }>): void {
    const { endOfTurnModel, media } = this.#ports;
    endOfTurnModel?.judge(this.#userAudio.latest(), media.format, (probability) =>
      this.post({ type: 'end_of_turn.judged', atMs, probability }),
    );
  }

  #searchKnowledge({ toolCallId, search }: Extract<CallCommand, { readonly type: 'knowledge.search' }>): void {
    const postResult = (result: KnowledgeResult) => this.post({ type: 'knowledge.result', toolCallId, result });
    try {
      this.#ports.knowledge.search(search, postResult);
    } catch (cause) {
      this.#logPortFailure('knowledge', cause);
      postResult({ type: 'failed' });
    }
  }

  #write({ entry }: Extract<CallCommand, { readonly type: 'journal.write' }>): void {
    if (entry.type === 'ended') this.#endReason = entry.reason;
    if (entry.type === 'transcript') this.#transcript.set(entry.entry.sequence, entry.entry);
    this.#orLogFailure('journal', () => this.#ports.journal.write(entry));
  }

  #close(): void {
    this.#timers.stopAll();
    this.#orLogFailure('language_model', () => this.#models.close());
    this.#orLogFailure('transcriber', () => this.#userAudio.close());
    this.#orLogFailure('voice', () => this.#voice.close());
    this.#orLogFailure('media', () => this.#ports.media.close());
    this.#closed = true;
    this.#resolveEnded(this.#endReason);
  }

  /** Turns an exception of a port into its failure event. */
  #orPostFailure(port: FailingPort, fault: CallEvent, act: () => void): void {
    try {
      act();
    } catch (cause) {
      this.#logPortFailure(port, cause);
      this.post(fault);
    }
  }

  /** Logs an exception of a port whose outcome the rules do not need. */
  #orLogFailure(port: FailingPort, act: () => void): void {
    try {
      act();
    } catch (cause) {
      this.#logPortFailure(port, cause);
    }
  }

  #logPortFailure(port: FailingPort, cause: unknown): void {
    this.#log({ type: 'port_failed', port, error: String(cause) });
  }

  #log(notice: EngineNotice): void {
    try {
      this.#ports.log(notice);
    } catch {
      // An exception of the logger cannot be logged.
    }
  }
}
