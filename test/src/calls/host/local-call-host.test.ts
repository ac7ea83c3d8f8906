import type { RtpMediaSession } from '../../../../sip/media/media-service.ts';
import type { RtpParameters } from '../../../../sip/rtp/rtp-parameters.ts';
import { LocalCallHost } from '../../../../src/calls/host/local-call-host.ts';
import type { CallProviders } from '../../../../src/calls/providers/call-providers.ts';
import { describeCallHost, type HostBed } from './call-host-contract.ts';

/** Media of one call that plays nothing and records its configurations. */
class ScriptedSession {
  readonly configured: RtpParameters[] = [];
  closed = false;
  verify: () => void = () => {};

  get session(): RtpMediaSession {
    return {
      port: 40_000,
      quality: null,
      recorded: Promise.resolve({ path: null, complete: true, durationMs: 0 }),
      configure: (session) => this.configured.push(session),
      onSourceVerification: (listener) => {
        this.verify = () => listener('verified');
      },
      setPlaybackSource: () => {},
      receiveInfoDtmf: () => {},
      capture: () => {},
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
        onEvent: () => {},
        close: () => {
          this.closed = true;
        },
      },
      close: () => {
        this.closed = true;
      },
    };
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

function openBed(): HostBed {
  const sessions = new Map<string, ScriptedSession>();
  const spoken: string[] = [];
  let isExhausted = false;
  const host = new LocalCallHost({
    media: {
      open: async ({ callId }) => {
        if (isExhausted) throw new Error('the RTP port range is exhausted');
        const scripted = new ScriptedSession();
        sessions.set(callId, scripted);
        return scripted.session;
      },
      openWeb: () => Promise.reject(new Error('no web media here')),
    },
    dataDir: '/nowhere',
    diskLowWaterBytes: 0,
    providers: () => silentProviders(spoken),
    metrics: { providerFailed() {}, firstByte() {} },
    warm: () => {},
    tools: () => ({ run() {} }),
    knowledge: () => ({ search() {} }),
  });
  return {
    host,
    spoken,
    configured: (callId) => sessions.get(callId)?.configured ?? [],
    verifySource: (callId) => sessions.get(callId)?.verify(),
    isMediaClosed: (callId) => sessions.get(callId)?.closed ?? false,
    exhaustPorts: () => {
      isExhausted = true;
    },
  };
}

describeCallHost('in this thread', openBed);
