import type { ProviderPart } from '../../../adapters/decorators/metrics/provider-metrics.ts';
import type { KnowledgeResult, KnowledgeSearch } from '../../../engine/ports/knowledge.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { ToolResult, ToolRun } from '../../../engine/ports/tool-runner.ts';
import type { MediaService, MediaStatistics } from '../../../sip/media/media-service.ts';
import type { MediaServiceErrorCode } from '../../../sip/media/media-service-error.ts';
import type { ChosenSockets } from '../../../sip/media/udp/udp-sockets.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { LogLevel } from '../../log/log.ts';
import type { LogEvent, LogFields } from '../../log/log-event-catalogue.ts';
import type { TraceContext } from '../../observability/opentelemetry/trace-context.ts';
import type {
  CallStart,
  HostCommand,
  HostEvent,
  HostedActivity,
  HostedAgent,
  MediaReservation,
  PlannedCall,
  ReservedMedia,
} from '../host/call-host.ts';

/**
 * The messages between the service and a call host in another process. Both types are closed, and every message survives the
 * structured clone of Node's IPC channel (`serialization: 'advanced'`). Messages arrive in the order in which they were sent.
 */
export type ServiceMessage =
  /** The first message, once. */
  | { readonly type: 'settings'; readonly settings: HostSettings }
  | HostInstruction
  /** No call is left: close the media, and exit. */
  | { readonly type: 'stop' };

export type HostMessage =
  | HostCallMessage
  /** The media workers have loaded: the host takes calls. Once. */
  | { readonly type: 'ready' }
  /** Sent each `BEAT_MS` while the event loop runs. */
  | { readonly type: 'beat'; readonly reading: HostReading }
  | {
      readonly type: 'provider_failed';
      readonly part: ProviderPart;
      readonly error: Pick<ProviderError, 'provider' | 'code'>;
    }
  | { readonly type: 'first_byte'; readonly part: ProviderPart; readonly provider: string; readonly ms: number }
  /** A log line that belongs to no call. */
  | {
      readonly type: 'log';
      readonly level: LogLevel;
      readonly event: LogEvent;
      readonly fields: LogFields[LogEvent];
    };

/** The part of the configuration that a host needs: no key of the service, no database and no SIP setting. */
export type HostConfiguration = Pick<
  Configuration,
  'callHosts' | 'dataDir' | 'diskLowWaterBytes' | 'endOfTurnModel' | 'phraseCacheBytes' | 'providers' | 'rtp'
>;

export interface HostSettings {
  /** From 1. Its successor after an exit has the same number. */
  readonly host: number;
  /** With this host's share of the RTP ports. */
  readonly configuration: HostConfiguration;
}

/** Messages to a host about its calls. */
export type HostInstruction =
  | { readonly type: 'request'; readonly id: number; readonly request: HostRequest }
  | { readonly type: 'command'; readonly command: HostCommand }
  | { readonly type: 'service_response'; readonly id: number; readonly response: ServiceResponse };

/** The methods of `CallHost` that resolve. */
export type HostRequest =
  | { readonly type: 'reserve'; readonly reservation: MediaReservation }
  | { readonly type: 'prepare'; readonly call: PlannedCall; readonly agent: HostedAgent }
  | { readonly type: 'start'; readonly start: CallStart }
  | { readonly type: 'activities' };

/** Messages of a host about its calls. */
export type HostCallMessage =
  | { readonly type: 'response'; readonly id: number; readonly response: HostResponse }
  | { readonly type: 'event'; readonly event: HostEvent }
  | { readonly type: 'service_request'; readonly id: number; readonly request: ServiceRequest };

export type HostResponse =
  | { readonly type: 'reserved'; readonly media: ReservedMedia }
  | { readonly type: 'prepared' }
  | { readonly type: 'started' }
  | { readonly type: 'activities'; readonly activities: readonly HostedActivity[] }
  /** `code`: of a `MediaServiceError`; null: another error. */
  | { readonly type: 'failed'; readonly code: MediaServiceErrorCode | null; readonly message: string };

/**
 * Requests of the engine to the service: custom functions and knowledge searches. Both run in the service, with the secrets, the
 * guard of outgoing addresses and the database.
 */
export type ServiceRequest =
  | {
      readonly type: 'tool';
      readonly organizationId: string;
      readonly sealedSecrets: HostedAgent['sealedSecrets'];
      readonly run: ToolRun;
      readonly toolCallId: string;
      /** The trace of the call; null without traces. */
      readonly trace: TraceContext | null;
    }
  | { readonly type: 'knowledge'; readonly organizationId: string; readonly search: KnowledgeSearch };

export type ServiceResponse =
  | { readonly type: 'tool'; readonly result: ToolResult }
  | { readonly type: 'knowledge'; readonly result: KnowledgeResult };

/** The state of a host at one beat. */
export interface HostReading {
  readonly capacity: ReturnType<MediaService['capacity']>;
  readonly media: MediaStatistics & {
    readonly skipped: number;
    readonly underruns: number;
    /** The sockets of each media worker that has loaded. */
    readonly sockets: readonly ChosenSockets['type'][];
  };
  /** Circuit breakers of the host's providers. */
  readonly circuits: readonly { readonly provider: string; readonly part: ProviderPart; readonly isOpen: boolean }[];
  /** Share of the time since the last beat that the event loop was busy, 0–1. */
  readonly loopBusyShare: number;
  /** Lateness of this beat, in ms: the duration of the work before it in the event loop. */
  readonly loopDelayMs: number;
  readonly residentBytes: number;
  readonly cpuSeconds: number;
}
