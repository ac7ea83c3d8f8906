import type { OwnListener } from '../../base/network/address-policy.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Credentials } from '../authentication/digest-response.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import { type DialogListener, DialogTable } from '../dialog/dialog-table.ts';
import type { CommandResult } from '../dialog/sip-application.ts';
import type { InviteRefusal } from '../message/invite-refusal.ts';
import { ALL_SOURCES, type AllowedSources, SourceFilter } from '../source-filter/source-filter.ts';
import { TransactionTable } from '../transaction/transaction-table.ts';
import type { IsConcealed } from '../transport/concealed-addresses.ts';
import { OwnAddress } from '../transport/own-address.ts';
import { type DnsResolver, TargetResolver } from '../transport/resolve-target.ts';
import { TargetPolicy } from '../transport/target-policy.ts';
import type { TlsSettings } from '../transport/tls-stream.ts';
import type { TraceEntry } from '../transport/trace-entry.ts';
import type { Hop, SipAddress } from '../transport/transport-address.ts';
import { Transports } from '../transport/transports.ts';
import { LocalIdentity } from '../user-agent/local-identity.ts';
import { UserAgent } from '../user-agent/user-agent.ts';
import type { UserAgentCore } from '../user-agent/user-agent-core.ts';
import { ApplicationServer } from './drachtio/application-server.ts';
import { RandomIds } from './random-ids.ts';
import { RefusalReports } from './refusal-reports.ts';
import type { ServerLimits } from './server-limits.ts';
import type { ServerStatistics } from './server-statistics.ts';
import { TimerCountingClock } from './timer-counting-clock.ts';

export interface SipServerOptions {
  readonly bindAddress: string;
  /** For UDP and TCP; 0 lets the kernel choose. */
  readonly port: number;
  /** The address for peers, if it differs from the bound one. */
  readonly externalAddress: string | null;
  /** Addresses or CIDR ranges of peers that see the bound address instead. */
  readonly localNetworks: readonly string[];
  readonly tls: TlsSettings;
  readonly secret: string;
  readonly limits: ServerLimits;
  /** Networks, beside the public internet, that requests may go to. */
  readonly targetNetworks: readonly string[];
  /** Whether requests outside a dialog hide why an address could not be reached. */
  readonly isConcealed: IsConcealed;
  /** The sources that may call; absent: all. */
  readonly sources?: AllowedSources;
  readonly clock: Clock;
  readonly names: DnsResolver;
  readonly onDialog: DialogListener;
  readonly onRefreshChallenged: UserAgentCore['refreshChallenged'];
  readonly onConnectionLost: (hop: Hop) => void;
  readonly onInviteRefused: (refusal: InviteRefusal) => void;
}

/** The complete server. Runs in the thread that starts it. */
export class SipServer {
  readonly addresses: readonly SipAddress[];
  readonly #transports: Transports;
  readonly #applications: ApplicationServer;
  readonly #userAgent: UserAgent;
  readonly #core: UserAgentCore;
  readonly #clock: TimerCountingClock;
  readonly #targets: TargetPolicy;
  readonly #refusals: RefusalReports;

  /** Rejects if the port cannot be bound. */
  static async start(options: SipServerOptions): Promise<SipServer> {
    const clock = new TimerCountingClock(options.clock);
    const pending: { userAgent: UserAgent | null; core: UserAgentCore | null } = { userAgent: null, core: null };
    const sourceFilter = new SourceFilter({
      limits: options.limits,
      clock,
      hasCall: (callId) =>
        pending.core !== null && (pending.core.dialogs.hasCall(callId) || pending.core.transactions.hasCall(callId)),
    });
    sourceFilter.setAllowedSources(options.sources ?? ALL_SOURCES);
    const refusals = new RefusalReports(clock, options.onInviteRefused);
    const transports = await Transports.open({
      bindAddress: options.bindAddress,
      port: options.port,
      tls: options.tls,
      limits: options.limits,
      clock,
      sourceFilter,
      onMessage: (message, origin) => pending.userAgent?.receive(message, origin),
      onConnectionLost: options.onConnectionLost,
      onRefused: (request, origin, reason) => refusals.add(request, origin, reason),
    });
    const { bindAddress: bind, externalAddress: external, localNetworks } = options;
    const own = new OwnAddress({ bind, external, localNetworks });
    const targets = new TargetPolicy(options.targetNetworks);
    const core = makeCore(options, { clock, transports, sourceFilter, refusals, own, targets });
    pending.core = core;
    const userAgent = new UserAgent(core);
    pending.userAgent = userAgent;
    const applications = await ApplicationServer.open({
      secret: options.secret,
      addresses: addressesOf(transports, own.all).map(({ transport, host, port }) => `${transport}/${host}:${port}`),
      newId: () => core.newId(),
      time: () => new Date(clock.wallMs()).toISOString().slice(11, 23),
      onAuthenticated: (application) => userAgent.join(application),
      onCommand: (application, command) =>
        userAgent.execute(application, command).catch((): CommandResult => {
          transports.counters.internalErrors += 1;
          return { ok: false, reason: 'internal error' };
        }),
      onClosed: (application) => userAgent.leave(application),
    });
    const listeners = addressesOf(transports, [bind]).map(({ port }) => ({ address: bind, port }));
    const reachedAs = external === null ? [] : listeners.map(({ port }) => ({ address: external, port }));
    const application = { address: applications.host, port: applications.port };
    targets.setOwnListeners([...listeners, ...reachedAs, application]);
    return new SipServer(transports, applications, userAgent, core, clock, own, targets, refusals);
  }

  private constructor(
    transports: Transports,
    applications: ApplicationServer,
    userAgent: UserAgent,
    core: UserAgentCore,
    clock: TimerCountingClock,
    own: OwnAddress,
    targets: TargetPolicy,
    refusals: RefusalReports,
  ) {
    this.#refusals = refusals;
    this.#targets = targets;
    this.#transports = transports;
    this.#applications = applications;
    this.#userAgent = userAgent;
    this.#core = core;
    this.#clock = clock;
    this.addresses = addressesOf(transports, own.all);
  }

  /** The address for `drachtio-srf`. */
  get applicationAddress(): { readonly host: string; readonly port: number } {
    return { host: this.#applications.host, port: this.#applications.port };
  }

  get statistics(): ServerStatistics {
    return {
      transactions: this.#core.transactions.size,
      dialogs: this.#core.dialogs.size,
      timers: this.#clock.runningTimers,
      connections: this.#transports.connectionCount,
      applications: this.#applications.connectionCount,
      ...this.#transports.counters,
      ...this.#core.sourceFilter.counters,
      ...this.#refusals.counters,
    };
  }

  /** Resolves when the BYE has been answered or abandoned. Never rejects. */
  endOrphan(recovery: DialogRecovery, credentials: Credentials | null): Promise<void> {
    return this.#userAgent.endOrphan(recovery, credentials);
  }

  /** @throws if the TLS files cannot be read; the old ones stay in use. */
  reloadTls(): void {
    this.#transports.reloadTls();
  }

  /** Replaces the sources that may call. */
  setAllowedSources(sources: AllowedSources): void {
    this.#core.sourceFilter.setAllowedSources(sources);
  }

  /** Sets the listeners of the service besides this server: no request goes to them. */
  setOtherListeners(listeners: readonly OwnListener[]): void {
    this.#targets.setOtherListeners(listeners);
  }

  /** null ends the trace. */
  trace(listener: ((entry: TraceEntry) => void) | null): void {
    this.#transports.trace(listener);
  }

  /** Sends no message to peers. Callers of `close` end their calls before, or as orphans later. */
  async close(): Promise<void> {
    this.#userAgent.clear();
    await Promise.all([this.#applications.close(), this.#transports.close()]);
    this.#userAgent.clear();
  }
}

function addressesOf({ port, tlsPort }: Transports, hosts: readonly string[]): SipAddress[] {
  return hosts.flatMap((host) => [
    { transport: 'udp', host, port } as const,
    { transport: 'tcp', host, port } as const,
    ...(tlsPort === null ? [] : [{ transport: 'tls', host, port: tlsPort } as const]),
  ]);
}

interface CoreParts {
  readonly clock: Clock;
  readonly transports: Transports;
  readonly sourceFilter: SourceFilter;
  readonly refusals: RefusalReports;
  readonly own: OwnAddress;
  readonly targets: TargetPolicy;
}

function makeCore(
  options: SipServerOptions,
  { clock, own, refusals, sourceFilter, targets, transports }: CoreParts,
): UserAgentCore {
  const ids = new RandomIds();
  const newId = () => ids.next();
  return {
    clock,
    sourceFilter,
    newId,
    random: Math.random,
    transactions: new TransactionTable({
      clock,
      newId,
      transactionsMax: options.limits.transactionsMax,
      send: (hops, message, onFailed) => transports.send(hops, message, onFailed),
    }),
    dialogs: new DialogTable(options.limits.dialogsMax, options.onDialog),
    identity: new LocalIdentity(own, transports.port, transports.tlsPort),
    resolver: new TargetResolver(clock, options.names, options.bindAddress, Math.random, targets),
    isConcealed: options.isConcealed,
    refreshChallenged: options.onRefreshChallenged,
    refused: (request, origin, reason) => refusals.add(request, origin, reason),
    send: (hops, message) => transports.send(hops, message, () => undefined),
  };
}
