import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifySerializerCompiler, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { Clock } from '../../../base/time/clock.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { GraphCheck } from '../../../engine/agent/graph-check.ts';
import type { KnowledgeSearch } from '../../../engine/ports/knowledge.ts';
import type { ScoredPassage } from '../../background/knowledge/stored-knowledge.ts';
import type { WebhookDeliverer } from '../../background/webhooks/webhook-deliverer.ts';
import type { CallActivity } from '../../calls/api-requests/call-activity.ts';
import type { CallService } from '../../calls/api-requests/call-service.ts';
import type { StoredEventWatchers } from '../../calls/api-requests/stored-event-watchers.ts';
import type { KnownProviders } from '../../calls/providers/configured-registry.ts';
import type { ListedProvider } from '../../calls/providers/provider-lists.ts';
import type { WebCalls } from '../../calls/web/web-calls.ts';
import type { ThisNode } from '../../cluster/node.ts';
import type { AgentDefaults, RateLimits } from '../../configuration/configuration.ts';
import type { Setting } from '../../configuration/settings.ts';
import type { AgentTestRuns } from '../../conversation-test/agent-test-runs.ts';
import type { CheckRuns } from '../../doctor/check-runs.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import type { CircuitReading } from '../../observability/metrics/gauges.ts';
import type { CallTraces } from '../../observability/traces/call-traces.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Scope } from '../../storage/access/organization-repository.ts';
import type { Repositories } from '../../storage/repositories.ts';
import type { DestinationPolicy } from '../../telephony/destinations/destination-ruling.ts';
import type { RefusedInvite } from '../../telephony/refusals/refused-invites.ts';
import type { ReachabilityInterval } from '../../telephony/trunks/reachability-history.ts';
import type { TrunkAddressPolicy } from '../../telephony/trunks/trunk-address-policy.ts';
import type { TrunkRegistrations } from '../../telephony/trunks/trunk-registrations.ts';
import type { TrunkState } from '../../telephony/trunks/trunk-state.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { OpenConnections } from '../connections/open-connections.ts';
import type { Authenticate } from '../requests/authentication.ts';
import type { HeedIdempotencyKey } from '../requests/idempotency.ts';
import type { SharedRequests } from '../requests/shared-rate-limiter.ts';

/** A Fastify instance whose handlers take their types from Zod schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The dependencies of the API. */
export interface ApiDependencies {
  readonly repositories: Repositories;
  readonly callService: CallService;
  /** Accepts the WebSocket connections of web calls. */
  readonly webCalls: Pick<WebCalls, 'upgrade'>;
  /** The current activity of each call of an organization whose agent talks, on any node, by the id of the call. */
  readonly activities: (organizationId: string) => Promise<ReadonlyMap<string, CallActivity>>;
  readonly eventWatchers: Pick<StoredEventWatchers, 'onStored' | 'wakeUps'>;
  readonly traces: CallTraces;
  /** Asks the node of a call. */
  readonly traceElsewhere: ThisNode['traceElsewhere'];
  /** Woken after a redelivery was requested. */
  readonly deliverer: Pick<WebhookDeliverer, 'wake'>;
  readonly secrets: Secrets;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly logger: FastifyBaseLogger;
  /** The settings of the service, secrets masked. */
  readonly settings: readonly Setting[];
  /** The checks of `trunkline doctor`. */
  readonly checkRuns: Pick<CheckRuns, 'run'>;
  /** Runs test files against agents. */
  readonly agentTests: Pick<AgentTestRuns, 'run'>;
  /** The configured providers with their models and voices. */
  readonly listProviders: () => Promise<readonly ListedProvider[]>;
  /** Circuit breakers of the providers, in each process of any node that runs calls. */
  readonly circuits: () => Promise<readonly CircuitReading[]>;
  readonly rateLimits: RateLimits;
  /** Counts requests over all nodes; null where one node counts alone. */
  readonly sharedRequests: SharedRequests | null;
  /** Id of this node; null where there is only one. */
  readonly nodeId: string | null;
  /** Whether the document and its reference page are served. */
  readonly docs: boolean;
  /** Stores who changed what, and who read what was said in calls. */
  readonly audit: Pick<AuditLog, 'add' | 'stored'>;
  /** Lifetime of the signed URL of a protected recording. */
  readonly recordingLinkMs: number;
  /** Maximum number of HTTP connections. */
  readonly connectionsMax: number;
  readonly agentDefaults: AgentDefaults;
  readonly providers: KnownProviders;
  /** The environment variable that a known provider lacks; null: it is configured. */
  readonly missingSetting: (kind: keyof KnownProviders, provider: string) => string | null;
  /** Whether a transcriber detects turns; null: it is not configured, so it is not known. */
  readonly detectsTurns: (transcriber: AgentConfiguration['transcriber']) => boolean | null;
  /** Provider of a model by its name; null: the name identifies none. */
  readonly providerOfModel: (model: string, preferred: string | undefined) => string | null;
  readonly checkGraph: (configuration: AgentConfiguration) => GraphCheck;
  readonly registrations: Pick<TrunkRegistrations, 'add' | 'remove' | 'replace'>;
  /** What the nodes see of trunks. Rejects with a `DatabaseError`. */
  readonly trunkStates: (trunkIds: readonly string[]) => Promise<(trunkId: string) => TrunkState>;
  /** The checks of the last day of all nodes, by trunk, oldest first. */
  readonly reachabilityHistory: (
    organizationId: string,
  ) => Promise<ReadonlyMap<string, readonly ReachabilityInterval[]>>;
  /** The latest of all nodes, newest first. */
  readonly refusals: (organizationId: string) => Promise<readonly RefusedInvite[]>;
  /** Decides which addresses a trunk may name. */
  readonly trunkAddresses: Pick<TrunkAddressPolicy, 'fault'>;
  /** Decides whether a redirect number may be called. */
  readonly destinations: DestinationPolicy;
  /** Base URL for clients, without a trailing slash. Read at each use: the port may be known only after the start. */
  readonly publicUrl: () => string;
  /** The files of calls and knowledge bases, wherever they are. */
  readonly files: Pick<ObjectStore, 'put' | 'find' | 'delete'>;
  /** Whether they are in an object store. Files of calls wait on the node of their call until they are. */
  readonly isSpooled: boolean;
  /** Root folder of tapes and knowledge base sources. */
  readonly dataDir: string;
  /** Free bytes of its disk below which no source is stored. */
  readonly diskLowWaterBytes: number;
  /**
   * The passages that an agent of the organization finds in its knowledge bases, best first. Rejects with a
   * `DatabaseError`.
   */
  readonly searchKnowledge: (organizationId: string, search: KnowledgeSearch) => Promise<readonly ScoredPassage[]>;
  /** Called after knowledge base sources were added or removed. */
  readonly onSourcesChanged: () => void;
  /** Reloads the allowed SIP sources and the trunk pings after a change of trunks or agents. Resolves once they are effective. */
  readonly reloadAllowedSources: () => Promise<void>;
  /** Rejects if the database does not respond. */
  readonly checkDatabase: () => Promise<void>;
  /**
   * Absent: responses are written as they are, because TypeScript has checked them. Tests check each against the schema of its route,
   * which costs more than the rest of a list.
   */
  readonly compileSerializer?: FastifySerializerCompiler<z.ZodType>;
  /** The answer to a readiness check: false once the service shuts down. */
  readonly takesCalls: () => boolean;
  /** false while the service is connected to no SIP server. */
  readonly hasSipServer: () => boolean;
}

/** The dependencies of a route. */
export interface RouteContext extends ApiDependencies {
  readonly authenticate: (scope: Scope, when?: 'besideReads') => Authenticate;
  /** Admits requests that are opened by a link and not by an API key. */
  readonly connections: Pick<OpenConnections, 'admit'>;
  readonly heedIdempotencyKey: HeedIdempotencyKey;
}
