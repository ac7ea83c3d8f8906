import type { Logger } from 'pino';
import type { OwnListener } from '../../../base/network/address-policy.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Setting } from '../../configuration/settings.ts';
import type { Log } from '../../log/log.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { Lifecycle } from './service-parts.ts';

/** The dependencies that every part of the service gets. */
export interface PartContext {
  readonly configuration: Configuration;
  readonly settings: readonly Setting[];
  readonly log: Log;
  /** The same log as pino's type, for Fastify and for loggers of calls. */
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
  /** Addresses of the service and its database: outgoing HTTP and SIP must not reach them. Grows during the start. */
  readonly listeners: OwnListener[];
}
