import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Clock } from '../../../base/time/clock.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent.ts';
import type { GraphCheck } from '../../../engine/agent/graph-check.ts';
import type { WebhookDeliverer } from '../../background/webhooks/webhook-deliverer.ts';
import type { KnownProviders } from '../../calls/providers/provider-registry.ts';
import type { CallService } from '../../calls/requests/call-service.ts';
import type { CallWatchers } from '../../calls/requests/call-watchers.ts';
import type { WebCalls } from '../../calls/web/web-calls.ts';
import type { AgentDefaults, RateLimits } from '../../configuration/configuration.ts';
import type { CallTraces } from '../../observability/traces/call-traces.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Scope } from '../../storage/access/organization-repository.ts';
import type { Repositories } from '../../storage/repositories.ts';
import type { DestinationPolicy } from '../../telephony/destinations/destination-policy.ts';
import type { TrunkPings } from '../../telephony/trunks/trunk-pings.ts';
import type { TrunkRegistrations } from '../../telephony/trunks/trunk-registrations.ts';
import type { Authenticate } from '../requests/authentication.ts';
import type { HeedIdempotencyKey } from '../requests/idempotency.ts';

/** A Fastify instance whose handlers take their types from Zod schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What the API stands on; everything of it is handed in. */
export interface ApiDependencies {
  readonly repositories: Repositories;
  readonly callService: CallService;
  /** Takes the connections of web calls. */
  readonly webCalls: Pick<WebCalls, 'upgrade'>;
  readonly callWatchers: Pick<CallWatchers, 'onStored'>;
  readonly traces: CallTraces;
  /** Told when an event was made due by hand. */
  readonly deliverer: Pick<WebhookDeliverer, 'wake'>;
  readonly secrets: Secrets;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly logger: FastifyBaseLogger;
  readonly rateLimits: RateLimits;
  readonly agentDefaults: AgentDefaults;
  readonly providers: KnownProviders;
  /** For a model named without its provider; null: the name does not tell. */
  readonly providerOfModel: (model: string, preferred: string | undefined) => string | null;
  readonly checkGraph: (configuration: AgentConfiguration) => GraphCheck;
  readonly registrations: Pick<TrunkRegistrations, 'add' | 'remove' | 'replace' | 'state'>;
  readonly pings: Pick<TrunkPings, 'state'>;
  /** What numbers may point to. */
  readonly destinations: DestinationPolicy;
  /** Where clients reach the API, without a slash at its end. Asked at each use: the port may be chosen at the start. */
  readonly publicUrl: () => string;
  /** Folder below which recordings and the sources of knowledge bases lie. */
  readonly dataDir: string;
  /** Sources of knowledge bases were added, to be read, or removed. */
  readonly onSourcesChanged: () => void;
  /** A trunk came or went, or an agent came: others may call now. Resolves once that holds. */
  readonly onCallersChanged: () => Promise<void>;
  /** Rejects where the database does not answer. */
  readonly checkDatabase: () => Promise<void>;
  /** Whether calls are taken; false while the service drains. */
  readonly takesCalls: () => boolean;
}

/** What a route is made with. */
export interface RouteContext extends ApiDependencies {
  readonly authenticate: (scope: Scope) => Authenticate;
  readonly heedIdempotencyKey: HeedIdempotencyKey;
}
