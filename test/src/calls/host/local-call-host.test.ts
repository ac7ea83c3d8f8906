import { describe, expect, it } from 'vitest';
import { agentConfigurationSchema } from '../../../../engine/agent/agent.ts';
import type { MediaEvent } from '../../../../engine/ports/media.ts';
import type { MediaService, RtpMediaSession } from '../../../../sip/media/media-service.ts';
import type { RtpParameters } from '../../../../sip/rtp/rtp-parameters.ts';
import type { CallHost } from '../../../../src/calls/host/call-host.ts';
import { LocalCallHost, type LocalCallHostOptions } from '../../../../src/calls/host/local-call-host.ts';
import type { CallProviders } from '../../../../src/calls/providers/call-providers.ts';
import { describeCallHost, type HostBed } from './call-host-contract.ts';

/** Media of one leg that play nothing and record their commands. */
class ScriptedSession {
  readonly session: RtpMediaSession;
  readonly configured: RtpParameters[] = [];
  closed = false;
  source: 'agent' | 'ringback' | RtpMediaSession = 'agent';
  capturedAs: string | null = null;
  suppressesNoise = false;
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

/** The host, which tells the media the id of each reservation. */
function registering(host: CallHost, media: ScriptedMedia): CallHost {
  return {
    reserve: (reservation) => {
      media.register(reservation.kind === 'second_leg' ? reservation.mediaId : reservation.callId);
      return host.reserve(reservation);
    },
    prepare: (agent) => host.prepare(agent),
    start: (request) => host.start(request),
    activities: () => host.activities(),
    send: (command) => host.send(command),
    onEvent: (listener) => host.onEvent(listener),
  };
}

function localCallHost(media: LocalCallHostOptions['media'], spoken: string[]): LocalCallHost {
  return new LocalCallHost({
    media,
    dataDir: '/nowhere',
    diskLowWaterBytes: 0,
    providers: () => silentProviders(spoken),
    metrics: { providerFailed() {}, firstByte() {} },
    warm: () => {},
    tools: () => ({ run() {} }),
    knowledge: () => ({ search() {} }),
    endOfTurnModel: null,
  });
}

const noWebMedia: MediaService['openWeb'] = () => Promise.reject(new Error('no web media here'));

function openBed(): HostBed {
  const media = new ScriptedMedia();
  const spoken: string[] = [];
  return {
    host: registering(localCallHost({ open: media.open, openWeb: noWebMedia }, spoken), media),
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

describeCallHost('in this thread', openBed);

describe('web media of a call host', () => {
  it('are those of a reserved web call, until it is released', async () => {
    const { session } = new ScriptedSession(null);
    const channel = { connected: false, write() {}, next: () => null, onAgentAudio() {}, onClear() {} };
    const web = { ...session, channel, start() {}, report() {} };
    const host = localCallHost({ open: async () => session, openWeb: async () => web }, []);
    const reservation = { recordingPath: null, mediaTimeoutMs: 30_000 };
    await host.reserve({ ...reservation, callId: 'web', kind: 'web' });
    await host.reserve({ ...reservation, callId: 'phone', kind: 'rtp', codec: 'pcmu', hasEngine: true });
    expect([host.webMedia('web'), host.webMedia('phone'), host.webMedia('unknown')]).toEqual([web, null, null]);
    host.send({ type: 'release', mediaId: 'web', keepsRecording: false });
    expect(host.webMedia('web')).toBeNull();
  });
});

it.each([true, false])('noise of the user’s line is suppressed if the agent wants it: %s', async (isWanted) => {
  const media = new ScriptedSession(null);
  const host = localCallHost({ open: async () => media.session, openWeb: noWebMedia }, []);
  const reservation = { recordingPath: null, mediaTimeoutMs: 30_000 };
  await host.reserve({ ...reservation, callId: 'c', kind: 'rtp', codec: 'pcmu', hasEngine: true });
  const configuration = agentConfigurationSchema.parse({
    llm: { provider: 'test', model: 'model' },
    voice: { provider: 'test', name: 'voice' },
    transcriber: { provider: 'test' },
    states: [{ name: 'start' }],
    initial_state_name: 'start',
    ...(isWanted && { noise_suppression: true }),
  });
  await host.start({
    organizationId: 'o',
    agent: { agentId: 'a', agentVersion: 1, isOverridden: false, configuration, sealedSecrets: new Map() },
    parameters: {
      callId: 'c',
      agentVersion: 1,
      direction: 'inbound',
      fromNumber: null,
      toNumber: null,
      dynamicVariables: {},
      startedWallMs: 0,
    },
  });
  expect(media.suppressesNoise).toBe(isWanted);
  host.send({ type: 'control_event', callId: 'c', event: { type: 'ended', cause: 'remote_bye' } });
  host.send({ type: 'release', mediaId: 'c', keepsRecording: false });
});
