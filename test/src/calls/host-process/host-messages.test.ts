import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { agentConfigurationSchema } from '../../../../engine/agent/agent-schema.ts';
import { customFunctionSchema } from '../../../../engine/agent/tool-schema.ts';
import type { CallMetrics } from '../../../../engine/ports/journal.ts';
import type { HostCommand, HostEvent } from '../../../../src/calls/host/call-host.ts';
import type {
  HostMessage,
  HostRequest,
  HostResponse,
  ServiceMessage,
  ServiceRequest,
  ServiceResponse,
} from '../../../../src/calls/host-process/host-messages.ts';

/** One message of each type: a new type without one does not compile. */
type OneEach<Message extends { readonly type: string }> = {
  readonly [Type in Message['type']]: Extract<Message, { readonly type: Type }>;
};

const configuration = agentConfigurationSchema.parse({
  llm: { provider: 'test', model: 'model' },
  voice: { provider: 'test', name: 'voice' },
  transcriber: { provider: 'test' },
  states: [{ name: '__proto__', prompt: 'Ünïcode 🎧' }],
  initial_state_name: '__proto__',
});
const agent = {
  agentId: 'a',
  agentVersion: 1,
  isOverridden: false,
  configuration,
  sealedSecrets: new Map([['secret:1', 'sealed']]),
};
const NO_TIMES = { median: null, p95: null };
const metrics: CallMetrics = {
  turns: 1,
  interruptions: 0,
  falseInterruptions: 0,
  ducked: 0,
  echoWords: 0,
  reopened: 0,
  amended: 0,
  eagerHits: 0,
  eagerMisses: 0,
  inputTokens: 1,
  outputTokens: 2,
  voiceCharacters: 3,
  transcribedMs: 4.5,
  endpointingMs: NO_TIMES,
  llmFirstTokenMs: NO_TIMES,
  voiceFirstAudioMs: NO_TIMES,
  engineMs: NO_TIMES,
  responseMs: { median: 1, p95: 2 },
};

const COMMANDS: OneEach<HostCommand> = {
  configure: {
    type: 'configure',
    mediaId: 'm',
    session: {
      codec: 'pcmu',
      payloadType: 0,
      dtmfPayloadType: 101,
      remoteAddress: '192.0.2.1',
      remotePort: 4_000,
      allowedAddresses: ['192.0.2.2'],
      direction: 'sendrecv',
    },
  },
  info_dtmf: { type: 'info_dtmf', mediaId: 'm', digit: '1', durationMs: 100 },
  playback_source: { type: 'playback_source', callId: 'c', source: 'ringback' },
  bridge: { type: 'bridge', callId: 'c', mediaId: 'm' },
  capture: { type: 'capture', callId: 'c', localAddress: null },
  control_event: { type: 'control_event', callId: 'c', event: { type: 'ended', cause: 'busy', sipStatus: 486 } },
  live_command: { type: 'live_command', callId: 'c', command: { type: 'call.say', text: 'Hi.', interrupt: true } },
  release: { type: 'release', mediaId: 'm', keepsRecording: true },
};
const EVENTS: OneEach<HostEvent> = {
  source_verification: { type: 'source_verification', mediaId: 'm', result: 'verified' },
  media_lost: { type: 'media_lost', mediaId: 'm', cause: 'timeout' },
  captured: { type: 'captured', mediaId: 'm', records: Uint8Array.of(0, 255) },
  released: { type: 'released', mediaId: 'm', quality: null },
  media_closed: { type: 'media_closed', mediaId: 'm', recording: { path: '/c.wav', complete: true, durationMs: 1.5 } },
  control: {
    type: 'control',
    callId: 'c',
    command: {
      type: 'transfer',
      transfer: { destination: '+331', mode: 'bridge', headers: { 'X-A': 'b' }, ringTimeoutMs: 1 },
    },
  },
  journal: { type: 'journal', callId: 'c', entries: [{ type: 'variables_resolved', atUs: 1 }] },
  log: { type: 'log', callId: 'c', level: 'warn', event: 'turn failed', fields: { reason: 'r', detail: 'd' } },
  finished: {
    type: 'finished',
    callId: 'c',
    ended: { type: 'ended', reason: 'caller_hangup', metrics, atUs: 2 },
    quality: null,
    usage: [{ kind: 'voice', provider: 'p', model: null, characters: 3 }],
  },
  recorded: { type: 'recorded', callId: 'c', recording: { path: null, complete: false, durationMs: 0 } },
  closed: { type: 'closed', callId: 'c', reason: 'caller_hangup' },
};
const REQUESTS: OneEach<HostRequest> = {
  reserve: {
    type: 'reserve',
    reservation: { kind: 'rtp', callId: 'c', codec: 'g722', hasEngine: true, recordingPath: null, mediaTimeoutMs: 1 },
  },
  prepare: { type: 'prepare', call: { callId: 'c', kind: 'rtp' }, agent },
  start: {
    type: 'start',
    start: {
      organizationId: 'o',
      agent,
      parameters: {
        callId: 'c',
        agentVersion: 1,
        direction: 'outbound',
        fromNumber: null,
        toNumber: '+331',
        dynamicVariables: { nested: { list: [1, null, 'x'] } },
        startedWallMs: 1,
      },
    },
  },
  activities: { type: 'activities' },
};
const RESPONSES: OneEach<HostResponse> = {
  reserved: { type: 'reserved', media: { port: 20_000, format: { encoding: 'mulaw', sampleRateHz: 8_000 } } },
  prepared: { type: 'prepared' },
  started: { type: 'started' },
  activities: { type: 'activities', activities: [{ callId: 'c', agentState: 'speaking', state: 'start' }] },
  failed: { type: 'failed', code: 'no_port', message: 'No RTP port is free' },
};
const SERVICE_REQUESTS: OneEach<ServiceRequest> = {
  tool: {
    type: 'tool',
    organizationId: 'o',
    sealedSecrets: agent.sealedSecrets,
    toolCallId: 'call_1',
    trace: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true },
    run: {
      tool: customFunctionSchema.parse({ type: 'custom_function', name: 'f', url: 'https://example.com' }),
      values: { list: [1, { a: null }] },
      url: 'https://example.com',
      headers: {},
    },
  },
  knowledge: { type: 'knowledge', organizationId: 'o', search: { knowledgeBaseIds: ['k'], query: 'q' } },
};
const SERVICE_RESPONSES: OneEach<ServiceResponse> = {
  tool: {
    type: 'tool',
    result: { successful: true, httpStatus: 200, content: '{}', mapped: [{ variable: 'v', value: 1 }] },
  },
  knowledge: {
    type: 'knowledge',
    result: { type: 'found', passages: [{ source: 's', page: null, heading: '', content: 'c' }] },
  },
};
const SERVICE: OneEach<ServiceMessage> = {
  settings: {
    type: 'settings',
    settings: {
      host: 1,
      configuration: {
        callHosts: 1,
        dataDir: '/data',
        diskLowWaterBytes: 1,
        endOfTurnModel: null,
        phraseCacheBytes: 0,
        providers: { OPENAI_API_KEY: 'k' },
        rtp: { bind: '127.0.0.1', ports: { first: 20_000, last: 20_999 }, sockets: 'auto', admissionLatenessMs: 5 },
      },
    },
  },
  request: { type: 'request', id: 1, request: REQUESTS.activities },
  command: { type: 'command', command: COMMANDS.release },
  service_response: { type: 'service_response', id: 1, response: SERVICE_RESPONSES.tool },
  stop: { type: 'stop' },
};
const HOST: OneEach<HostMessage> = {
  ready: { type: 'ready' },
  beat: {
    type: 'beat',
    reading: {
      capacity: { accepted: false, retryAfterSeconds: 2 },
      media: {
        sessions: 1,
        packetsReceived: 2,
        packetsSent: 3,
        packetsDropped: 4,
        latenessP99Ms: 0.5,
        busyShare: 0.1,
        skipped: 0,
        underruns: 0,
        sockets: ['epoll'],
      },
      circuits: [{ provider: 'p', part: 'voice', isOpen: true }],
      loopBusyShare: 0.2,
      loopDelayMs: 1.5,
      residentBytes: 1,
      cpuSeconds: 0.1,
    },
  },
  provider_failed: { type: 'provider_failed', part: 'voice', error: { provider: 'p', code: 'timeout' } },
  first_byte: { type: 'first_byte', part: 'language_model', provider: 'p', ms: 12.5 },
  log: { type: 'log', level: 'error', event: 'media worker exited', fields: { reason: 'r' } },
  response: { type: 'response', id: 1, response: RESPONSES.prepared },
  event: { type: 'event', event: EVENTS.closed },
  service_request: { type: 'service_request', id: 1, request: SERVICE_REQUESTS.knowledge },
};

describe('a message between the service and a call host', () => {
  const all = [COMMANDS, EVENTS, REQUESTS, RESPONSES, SERVICE_REQUESTS, SERVICE_RESPONSES, SERVICE, HOST].flatMap(
    (one) => Object.values(one),
  );

  it.each(all.map((message) => [message.type, message] as const))('survives the channel: %s', (_, message) => {
    expect(deserialize(serialize(message))).toEqual(message);
  });
});
