import Srf from 'drachtio-srf';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { InviteRefusal } from '../../../sip/message/invite-refusal.ts';
import { DEFAULT_LIMITS, type ServerLimits } from '../../../sip/server/server-limits.ts';
import { SipServer, type SipServerOptions } from '../../../sip/server/sip-server.ts';
import type { DrachtioServer as Location } from '../../../sip/signalling/server-link.ts';
import type { AllowedSources } from '../../../sip/source-filter/source-filter.ts';
import { type IsConcealed, NOTHING_CONCEALED } from '../../../sip/transport/concealed-addresses.ts';
import type { DnsResolver } from '../../../sip/transport/resolve-target.ts';
import { ANY_NETWORK } from '../../../sip/transport/target-policy.ts';
import { NO_TLS } from '../../../sip/transport/tls-stream.ts';
import { SipPhone } from '../../sip-endpoint/sip-phone.ts';

const unknown = () => Promise.reject(new Error('unknown'));
const NO_NAMES: DnsResolver = { addresses: unknown, srv: unknown, naptr: unknown };
const SECRET = 'secret-of-the-rig';

export interface DialogReport {
  readonly id: string;
  readonly recovery: DialogRecovery | null;
}

/** The server in this thread, on real sockets and simulated time, with a `drachtio-srf` and a phone. */
export class ServerRig {
  readonly clock: SimulatedClock;
  readonly reports: readonly DialogReport[];
  /** INVITEs that the server refused itself. */
  readonly refusals: readonly InviteRefusal[];
  readonly server: SipServer;
  readonly srf: Srf;
  readonly phone: SipPhone;
  onRefreshChallenged: SipServerOptions['onRefreshChallenged'] = () => undefined;
  #disconnected = false;

  /** @param sources the sources that may call; absent: all. */
  static async start(
    limits: Partial<ServerLimits> = {},
    sources?: AllowedSources,
    names: DnsResolver = NO_NAMES,
    isConcealed: IsConcealed = NOTHING_CONCEALED,
  ): Promise<ServerRig> {
    const clock = new SimulatedClock();
    const reports: DialogReport[] = [];
    const refusals: InviteRefusal[] = [];
    let rig: ServerRig | null = null;
    const server = await SipServer.start({
      bindAddress: '127.0.0.1',
      port: 0,
      externalAddress: null,
      localNetworks: [],
      targetNetworks: ANY_NETWORK,
      isConcealed,
      tls: NO_TLS,
      secret: SECRET,
      limits: { ...DEFAULT_LIMITS, ...limits },
      ...(sources !== undefined && { sources }),
      clock,
      names,
      onDialog: (id, _callId, recovery) => reports.push({ id, recovery }),
      onRefreshChallenged: (id, method) => rig?.onRefreshChallenged(id, method),
      onConnectionLost: () => undefined,
      onInviteRefused: (refusal) => refusals.push(refusal),
    });
    const srf = new Srf();
    srf.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      srf.on('connect', () => resolve());
      const options = { ...server.applicationAddress, secret: SECRET, reconnect: { maxAttempts: 1 } };
      void srf.connect(options);
    });
    const [address] = server.addresses;
    const phone = await SipPhone.open({ host: '127.0.0.1', port: address?.port ?? 0 });
    rig = new ServerRig({ clock, reports, refusals, server, srf, phone });
    return rig;
  }

  private constructor(parts: Pick<ServerRig, 'clock' | 'reports' | 'refusals' | 'server' | 'srf' | 'phone'>) {
    this.clock = parts.clock;
    this.reports = parts.reports;
    this.refusals = parts.refusals;
    this.server = parts.server;
    this.srf = parts.srf;
    this.phone = parts.phone;
  }

  /** The address for `sip/signalling` as a second application. It reports challenges, but no dialogs. */
  get location(): Location {
    return {
      ...this.server.applicationAddress,
      secret: SECRET,
      onRefreshChallenged: (listener) => {
        this.onRefreshChallenged = listener;
      },
    };
  }

  get sipPort(): number {
    return this.server.addresses[0]?.port ?? 0;
  }

  /** Lets the application answer every call. Resolves with the dialog of the next one. */
  answering(body: string): Promise<Srf.Dialog> {
    return new Promise((resolve, reject) => {
      this.srf.invite((req, res) => this.srf.createUAS(req, res, { localSdp: body }).then(resolve, reject));
    });
  }

  /** A round trip of the phone. Earlier messages of both sides have arrived and are handled afterwards. */
  async settle(): Promise<void> {
    const lines = [
      this.phone.via(this.phone.branch()),
      'From: <sip:ping@127.0.0.1>;tag=1',
      'To: <sip:ping@127.0.0.1>',
      `Call-ID: ping-${this.phone.branch()}`,
      'CSeq: 1 OPTIONS',
    ];
    this.phone.send(this.phone.request('OPTIONS', 'sip:ping@127.0.0.1', lines));
    await this.phone.nextResponse('OPTIONS', 200);
  }

  /** Closes the connection of `drachtio-srf`. Idempotent. */
  disconnect(): void {
    if (this.#disconnected) return;
    this.#disconnected = true;
    this.srf.disconnect();
  }

  async close(): Promise<void> {
    this.disconnect();
    this.phone.close();
    await this.server.close();
  }
}
