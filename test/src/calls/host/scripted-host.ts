import type { MediaEvent } from '../../../../engine/ports/media.ts';
import type { MediaService, RtpMediaSession } from '../../../../sip/media/media-service.ts';
import type { RtpParameters } from '../../../../sip/rtp/rtp-parameters.ts';
import type { CallHost } from '../../../../src/calls/host/call-host.ts';
import { LocalCallHost, type LocalCallHostOptions } from '../../../../src/calls/host/local-call-host.ts';
import type { CallProviders } from '../../../../src/calls/providers/call-providers.ts';
import type { HostBed } from './call-host-contract.ts';

/** Media of one leg that play nothing and record their commands. */
export class ScriptedSession {
  readonly session: RtpMediaSession;
  readonly configured: RtpParameters[] = [];
  closed = false;
  source: 'agent' | 'ringback' | RtpMediaSession = 'agent';
  capturedAs: string | null = null;
  suppressesNoise = false;
  isRecordingPaused = false;
  verify: () => void = () => {};
  reportRecords: (records: Uint8Array) => void = () => {};
  readonly #listeners: ((event: MediaEvent) => void)[] = [];

  constructor(recordingPath: string | null) {
    const close = () => {
      this.closed = true;
    };
    this.session = {
      port: 40_000,
      quality: null,
      pauseRecording: (isPaused) => {
        this.isRecordingPaused = isPaused;
      },
      recordedMs: 0,
      recorded: Promise.resolve({ path: recordingPath, complete: true, durationMs: 0 }),
      configure: (session) => this.configured.push(session),
      onSourceVerification: (listener) => {
        this.verify = () => listener('verified');
      },
      setPlaybackSource: (source) => {
        this.source = source;
      },
      receiveInfoDtmf: () => {},
      capture: (localAddress, onRecords) => {
        this.capturedAs = localAddress;
        this.reportRecords = onRecords;
      },
      suppressNoise: () => {
        this.suppressesNoise = true;
      },
      audio: {
        format: { encoding: 'mulaw', sampleRateHz: 8_000 },
        play: () => true,
        endSegment: () => {},
        clear: () => {},
        pause: () => {},
        resume: () => {},
        sendDtmf: () => {},
        listenForTones: () => {},
        onAudio: () => {},
        onDrained: () => {},
        onEvent: (listener) => this.#listeners.push(listener),
        close,
      },
      close,
    };
  }

  emit(event: MediaEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** Providers that accept everything and emit nothing. */
function silentProviders(spoken: string[]): CallProviders {
  return {
    transcriber: {
      traitsOf: () => ({ detectsTurns: false, finalP99Ms: 500 }),
      open: () => ({ write() {}, finalize() {}, close() {} }),
    },
    model: { generate: () => ({ cancel() {} }) },
    voice: {
      open: () => ({
        speak: (_segment, text) => {
          spoken.push(text);
        },
        cancel() {},
        close() {},
      }),
    },
    fallbackTranscriberTraits: [],
    modelLatencies: [],
    voiceFirstAudioP99Ms: [],
  };
}

/** Media by `mediaId`. */
class ScriptedMedia {
  readonly #sessions: ScriptedSession[] = [];
  readonly #ids: string[] = [];
  isExhausted = false;

  readonly open: MediaService['open'] = async ({ recordingPath }) => {
    if (this.isExhausted) throw new Error('the RTP port range is exhausted');
    const scripted = new ScriptedSession(recordingPath ?? null);
    this.#sessions.push(scripted);
    return scripted.session;
  };

  /** The host opens sessions in the order of its reservations. */
  register(mediaId: string): void {
    this.#ids[this.#sessions.length] = mediaId;
  }

  of(mediaId: string): ScriptedSession | undefined {
    return this.#sessions[this.#ids.indexOf(mediaId)];
  }

  idOf(session: RtpMediaSession): string {
    return this.#ids[this.#sessions.findIndex((scripted) => scripted.session === session)] ?? '';
  }
}

/** The host. It passes the id of each reservation to the media. */
function registering(host: CallHost, media: ScriptedMedia): CallHost {
  return {
    reserve: (reservation) => {
      media.register(reservation.kind === 'second_leg' ? reservation.mediaId : reservation.callId);
      return host.reserve(reservation);
    },
    prepare: (call, agent) => host.prepare(call, agent),
    start: (request) => host.start(request),
    activities: () => host.activities(),
    send: (command) => host.send(command),
    onEvent: (listener) => host.onEvent(listener),
  };
}

export function localCallHost(
  media: LocalCallHostOptions['media'],
  spoken: string[],
  dataDir = '/nowhere',
): LocalCallHost {
  return new LocalCallHost({
    media,
    dataDir,
    diskLowWaterBytes: 0,
    providers: () => silentProviders(spoken),
    metrics: { providerFailed() {}, firstByte() {} },
    warm: () => {},
    tools: () => ({ run() {} }),
    knowledge: () => ({ search() {} }),
    endOfTurnModel: null,
  });
}

export const noWebMedia: MediaService['openWeb'] = () => Promise.reject(new Error('no web media here'));

/** A local host with scripted media and providers. `reach`: puts a channel in front of it. */
export function openBed(reach: (host: CallHost) => Pick<HostBed, 'host' | 'delivered'> = here): HostBed {
  const media = new ScriptedMedia();
  const spoken: string[] = [];
  return {
    ...reach(registering(localCallHost({ open: media.open, openWeb: noWebMedia }, spoken), media)),
    spoken,
    configured: (mediaId) => media.of(mediaId)?.configured ?? [],
    playbackOf: (mediaId) => {
      const source = media.of(mediaId)?.source ?? '';
      return typeof source === 'string' ? source : media.idOf(source);
    },
    verifySource: (mediaId) => media.of(mediaId)?.verify(),
    loseMedia: (mediaId, cause) =>
      media.of(mediaId)?.emit(cause === 'timeout' ? { type: 'timeout' } : { type: 'failed', message: 'worker exited' }),
    capturedAs: (mediaId) => media.of(mediaId)?.capturedAs ?? null,
    captureRecords: (mediaId, records) => media.of(mediaId)?.reportRecords(records),
    isMediaClosed: (mediaId) => media.of(mediaId)?.closed ?? false,
    exhaustPorts: () => {
      media.isExhausted = true;
    },
  };
}

function here(host: CallHost): Pick<HostBed, 'host' | 'delivered'> {
  return { host, delivered: async () => {} };
}
