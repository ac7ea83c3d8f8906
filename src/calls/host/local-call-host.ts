import type { ProviderMetrics } from '../../../adapters/decorators/metrics/provider-metrics.ts';
import { decorateCall } from '../../../adapters/decorators/pipeline/decorator-pipeline.ts';
import { CallUsage } from '../../../adapters/decorators/usage/call-usage.ts';
import { createStallSafeClock } from '../../../base/time/stall-safe-clock.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import type { EndOfTurnModel } from '../../../engine/ports/end-of-turn-model.ts';
import type { Journal, JournalEntry } from '../../../engine/ports/journal.ts';
import type { Media } from '../../../engine/ports/media.ts';
import type { CallPorts } from '../../../engine/session/call-ports.ts';
import type { CompiledAgent } from '../../../engine/session/machine/compile-agent.ts';
import { type CallHandle, startCall } from '../../../engine/session/start-call.ts';
import type { MediaService } from '../../../sip/media/media-service.ts';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import { logEngineNotice } from '../../log/engine-notice-log.ts';
import type { Log, LogLevel } from '../../log/log.ts';
import type { LogEvent, LogFields } from '../../log/log-event-catalogue.ts';
import type { TraceContext } from '../../observability/opentelemetry/trace-context.ts';
import type { CallProviders } from '../providers/call-providers.ts';
import { removeRecording, unredactedPathOf } from '../recording/unredacted-recording.ts';
import type { CallRedactor } from '../redaction/call-redactor.ts';
import { CallTextFilter } from '../redaction/call-text-filter.ts';
import { RecordingRedaction } from '../redaction/recording-redaction.ts';
import { type CallTapes, openCallTape } from '../tape/call-tape.ts';
import { type UserAudioListener, withUserAudioListener } from '../tape/media-with-listener.ts';
import { PausableTape } from '../tape/pausable-tape.ts';
import type {
  CallHost,
  CallStart,
  ControlCommand,
  HostCommand,
  HostEvent,
  HostedActivity,
  HostedAgent,
  KeptJournalEntry,
  MediaReservation,
  PlannedCall,
  ReservedMedia,
  StoredCallParameters,
} from './call-host.ts';
import { CompiledAgents } from './compiled-agents.ts';
import { LegMedia, type LegWire } from './leg-media.ts';
import { ReservedCall } from './reserved-call.ts';
import { SpanRecorder } from './span-recorder.ts';
import type { WebCallMedia, WebMediaAccess } from './web-media-access.ts';

/** Format of the second leg's audio at the engine's port, where nothing listens to it. */
const UNHEARD_CODEC = 'pcmu';

export interface LocalCallHostOptions extends CallTapes {
  readonly media: Pick<MediaService, 'open' | 'openWeb'>;
  /** Called once per call: an adapter may count the requests of its call. */
  readonly providers: (agent: HostedAgent['configuration']) => CallProviders;
  readonly metrics: ProviderMetrics;
  /** Opens connections to the providers of the agent. */
  readonly warm: (agent: HostedAgent['configuration']) => void;
  /** Called once per call: the runner opens the agent's sealed secrets. */
  readonly tools: (
    agent: Pick<HostedAgent, 'sealedSecrets'>,
    organizationId: string,
    trace: TraceContext | null,
  ) => CallPorts['tools'];
  /** The acoustic end-of-turn model of the operator; null: none. */
  readonly endOfTurnModel: EndOfTurnModel | null;
  /** The knowledge that calls of an organization may search. */
  readonly knowledge: (organizationId: string) => CallPorts['knowledge'];
}

/** The calls of this process, in this thread. */
export class LocalCallHost implements CallHost, WebMediaAccess {
  readonly #options: LocalCallHostOptions;
  readonly #compiled = new CompiledAgents();
  /** By `mediaId`. */
  readonly #media = new Map<string, LegMedia>();
  /** Calls with an engine, and reserved calls that may get one. */
  readonly #calls = new Map<string, ReservedCall>();
  #listener: (event: HostEvent) => void = () => {};

  constructor(options: LocalCallHostOptions) {
    this.#options = options;
  }

  onEvent(listener: (event: HostEvent) => void): void {
    this.#listener = listener;
  }

  webMedia(callId: string): WebCallMedia | null {
    return this.#media.get(callId)?.web ?? null;
  }

  async reserve(reservation: MediaReservation): Promise<ReservedMedia> {
    const { callId, kind } = reservation;
    const mediaId = kind === 'second_leg' ? reservation.mediaId : callId;
    if (this.#media.has(mediaId)) throw new Error('the media are reserved already');
    const wire = await this.#openWire(reservation);
    const recordingPath = kind === 'second_leg' ? null : reservation.recordingPath;
    const redactsAudio = kind !== 'second_leg' && reservation.redactsAudio === true;
    const media = new LegMedia({ mediaId, wire, recordingPath, redactsAudio }, (event) => this.#listener(event));
    this.#media.set(mediaId, media);
    const { session } = media;
    if (kind === 'web' || (kind === 'rtp' && reservation.hasEngine)) {
      const emit = (command: ControlCommand) => this.#listener({ type: 'control', callId, command });
      this.#calls.set(callId, new ReservedCall(session, emit));
    } else media.reportLoss();
    return { port: media.rtp?.port ?? null, format: session.audio.format };
  }

  async prepare(_call: PlannedCall, agent: HostedAgent): Promise<void> {
    this.#compiled.get(agent);
    this.#options.warm(agent.configuration);
  }

  async start({ agent, organizationId, parameters, trace = null }: CallStart): Promise<void> {
    const { callId } = parameters;
    const call = this.#calls.get(callId);
    if (call?.begin() !== true) throw new Error('call is not reserved, or was started before');
    const { configuration } = agent;
    const compiled = this.#compiled.get(agent);
    const clock = createStallSafeClock();
    const providers = this.#options.providers(configuration);
    const hasModel = this.#options.endOfTurnModel !== null && { hasEndOfTurnModel: true as const };
    const known = { ...callParameters(parameters, agent, providers), ...hasModel };
    const log = this.#logOf(callId);
    const { format } = call.session.audio;
    const written = await openCallTape(this.#options, { configuration, parameters: known, format, log });
    try {
      const tape = written === null ? null : new PausableTape(written, compiled, format);
      this.#run(call, { agent, organizationId, trace, compiled, parameters: known, providers, clock, tape, log });
    } catch (error) {
      await written?.discard();
      throw error;
    }
  }

  #run(call: ReservedCall, start: EngineStart): void {
    const { agent, clock, compiled, log, organizationId, parameters, providers, tape, trace } = start;
    const { callId } = parameters;
    const { configuration } = agent;
    const { session } = call;
    const usage = new CallUsage();
    const texts = new CallTextFilter({
      language: configuration.language,
      entities: configuration.redaction?.entities ?? null,
    });
    const redaction = this.#recordingRedaction(callId, call, texts.redactor, log);
    const spans = new SpanRecorder(session, {
      store: (entry) => this.#store(callId, entry),
      redact: (text) => texts.text(text),
    });
    if (configuration.noise_suppression)
      session.suppressNoise((reason) => log.warn({ reason }, 'noise suppression failed; using the original audio'));
    const handle = startCall({
      compiled,
      parameters,
      ports: {
        ...decorateCall(providers, { metrics: this.#options.metrics, usage, tape }),
        media: heardBy(session.audio, [tape, redaction]),
        control: call.control,
        tools: this.#options.tools(agent, organizationId, trace),
        knowledge: this.#options.knowledge(organizationId),
        ...(this.#options.endOfTurnModel !== null && { endOfTurnModel: this.#options.endOfTurnModel }),
        journal: this.#journalOf(callId, call, { texts, spans, tape, usage }),
        clock,
        log: (notice) => logEngineNotice(log, texts.notice(notice)),
      },
      tape: (record, after) => {
        tape?.write(record, after);
        redaction?.follow(record.atUs);
        texts.follow(record);
        spans.add(record);
      },
      firstEvent: { type: 'call.offered' },
    });
    call.attach(handle);
    void this.#close(callId, call, handle, { redaction, tape });
  }

  /** Null: the recording, if there is one, stays as it is. */
  #recordingRedaction(callId: string, { session }: ReservedCall, redactor: CallRedactor | null, log: Log) {
    const media = this.#media.get(callId);
    if (media?.redactsAudio !== true || media.recordingPath === null || redactor === null) return null;
    return new RecordingRedaction({
      path: media.recordingPath,
      session,
      spoken: redactor.spoken,
      onFault: (err) => log.error({ err }, 'recording redaction failed'),
    });
  }

  async activities(): Promise<readonly HostedActivity[]> {
    return [...this.#calls].flatMap(([callId, { activity }]) => (activity === null ? [] : [{ callId, ...activity }]));
  }

  send(command: HostCommand): void {
    switch (command.type) {
      case 'configure':
        this.#media.get(command.mediaId)?.configure(command.session);
        return;
      case 'info_dtmf':
        this.#media.get(command.mediaId)?.receiveInfoDtmf(command.digit, command.durationMs);
        return;
      case 'playback_source':
        this.#media.get(command.callId)?.setPlaybackSource(command.source);
        return;
      case 'bridge': {
        const second = this.#media.get(command.mediaId);
        if (second !== undefined) this.#media.get(command.callId)?.bridge(second);
        return;
      }
      case 'capture':
        this.#media.get(command.callId)?.capture(command.localAddress);
        return;
      case 'control_event':
      case 'live_command':
        this.#calls.get(command.callId)?.handle(command);
        return;
      case 'release':
        this.#release(command.mediaId, command.keepsRecording);
        return;
    }
  }

  #release(mediaId: string, keepsRecording: boolean): void {
    if (this.#calls.get(mediaId)?.hasEngine === true) return;
    const media = this.#media.get(mediaId);
    this.#calls.delete(mediaId);
    this.#media.delete(mediaId);
    media?.release(keepsRecording);
  }

  async #openWire(reservation: MediaReservation): Promise<LegWire> {
    const { media } = this.#options;
    const { callId, mediaTimeoutMs } = reservation;
    if (reservation.kind === 'second_leg') {
      const beside = this.#media.get(callId)?.rtp;
      if (!beside) throw new Error('the second leg of a bridge needs a first leg over RTP');
      return { kind: 'rtp', session: await media.open({ callId, mediaTimeoutMs, codec: UNHEARD_CODEC, beside }) };
    }
    const { recordingPath, redactsAudio } = reservation;
    const written = recordingPath !== null && redactsAudio === true ? unredactedPathOf(recordingPath) : recordingPath;
    const options = { callId, mediaTimeoutMs, ...(written !== null && { recordingPath: written }) };
    return reservation.kind === 'rtp'
      ? { kind: 'rtp', session: await media.open({ ...options, codec: reservation.codec }) }
      : { kind: 'web', session: await media.openWeb(options) };
  }

  /** The log of one call, reported to the listener. */
  #logOf(callId: string): Log {
    const report =
      (level: LogLevel) =>
      <E extends LogEvent>(fields: LogFields[E], event: E) =>
        this.#listener({ type: 'log', callId, level, event, fields });
    return {
      debug: report('debug'),
      info: report('info'),
      warn: report('warn'),
      error: report('error'),
      fatal: report('fatal'),
    };
  }

  #store(callId: string, ...entries: readonly KeptJournalEntry[]): void {
    this.#listener({ type: 'journal', callId, entries });
  }

  #journalOf(callId: string, { session }: ReservedCall, { spans, tape, texts, usage }: JournalledCall): Journal {
    return {
      write: (entry) => {
        const spansSoFar = spans.take();
        const earlier = spansSoFar === null ? [] : [spansSoFar];
        if (entry.type !== 'ended') {
          this.#followConsent(callId, entry, tape);
          return this.#store(callId, ...earlier, ...texts.write(entry));
        }
        const settled = [...earlier, ...texts.end()];
        if (settled.length > 0) this.#store(callId, ...settled);
        const { detail } = entry;
        const ended = detail === undefined ? entry : { ...entry, detail: texts.text(detail) };
        const quality = session.quality ?? null;
        this.#listener({ type: 'finished', callId, ended, quality, usage: usage.entries });
      },
    };
  }

  /** The recording follows the pauses in the transcript and the recording refusal of the user. */
  #followConsent(callId: string, entry: JournalEntry, tape: PausableTape | null): void {
    const media = this.#media.get(callId);
    if (entry.type === 'transcript' && entry.entry.role === 'recording_pause')
      media?.pauseRecording(entry.entry.endUs === null);
    if (entry.type !== 'consent' || entry.consent !== 'refused') return;
    if (media !== undefined) void this.#deleteRecording(callId, media);
    void tape?.discard();
  }

  /** Never rejects: an operator deletes a file that could not be deleted. */
  async #deleteRecording(callId: string, media: LegMedia): Promise<void> {
    await media.refuseRecording().catch((err: unknown) => {
      this.#logOf(callId).error({ err }, 'recording deletion failed');
    });
  }

  /** Never rejects. */
  async #finished(callId: string, written: RecordingOutcome, redaction: RecordingRedaction | null) {
    const media = this.#media.get(callId);
    if (media?.isRefused !== true) return redaction === null ? written : redaction.finish(written);
    await this.#deleteRecording(callId, media);
    return { ...written, path: null, complete: false };
  }

  /** Never rejects. */
  async #close(
    callId: string,
    call: ReservedCall,
    { ended }: CallHandle,
    { redaction, tape }: { readonly redaction: RecordingRedaction | null; readonly tape: PausableTape | null },
  ): Promise<void> {
    const reason = await ended;
    // The engine has closed the media; the recording is complete only once it is written to the disk.
    const written = await call.session.recorded;
    const recording = await this.#finished(callId, written, redaction);
    const wasRecording = recording.path !== null || !recording.complete;
    if (wasRecording && call.answered) this.#listener({ type: 'recorded', callId, recording });
    // A call that was never answered holds nothing to hear.
    if (recording.path !== null && !call.answered) await removeRecording(recording.path).catch(() => {});
    await tape?.close();
    this.#calls.delete(callId);
    this.#media.delete(callId);
    this.#listener({ type: 'closed', callId, reason });
  }
}

/** What the engine of a call starts with. */
interface EngineStart extends Required<Omit<CallStart, 'parameters'>> {
  readonly compiled: CompiledAgent;
  readonly parameters: CallParameters;
  readonly providers: CallProviders;
  readonly clock: CallPorts['clock'];
  readonly tape: PausableTape | null;
  readonly log: Log;
}

interface JournalledCall {
  readonly texts: CallTextFilter;
  readonly spans: SpanRecorder;
  readonly tape: PausableTape | null;
  readonly usage: CallUsage;
}

/** The listeners get the user's audio before the engine. */
function heardBy(media: Media, listeners: readonly (UserAudioListener | null)[]): Media {
  return listeners.reduce(
    (heard, listener) => (listener === null ? heard : withUserAudioListener(heard, listener)),
    media,
  );
}

/** The stored parameters, completed by those of this host's adapters. */
function callParameters(
  stored: StoredCallParameters,
  { agentId, configuration }: HostedAgent,
  { fallbackTranscriberTraits, modelLatencies, transcriber, voiceFirstAudioP99Ms }: CallProviders,
): CallParameters {
  const {
    agentVersion,
    untrustedVariables,
    callId,
    direction,
    dynamicVariables,
    fromNumber,
    isSourceUntrusted,
    startedWallMs,
    toNumber,
  } = stored;
  return {
    callId,
    agentId,
    agentVersion,
    direction,
    fromNumber,
    toNumber,
    dynamicVariables,
    ...(untrustedVariables !== undefined && { untrustedVariables }),
    startedWallMs,
    ...(isSourceUntrusted && { isSourceUntrusted }),
    transcriberTraits: transcriber.traitsOf(configuration.transcriber.model),
    ...(fallbackTranscriberTraits.length > 0 && { fallbackTranscriberTraits }),
    ...(modelLatencies.length > 0 && { modelLatencies }),
    ...(voiceFirstAudioP99Ms.some((latencyMs) => latencyMs !== null) && { voiceFirstAudioP99Ms }),
  };
}
