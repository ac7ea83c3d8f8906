import { TalkingRtpPeer } from '../../../rtp-peer/talking-rtp-peer.ts';
import { type EndedBy, SipCaller } from '../../../sip-endpoint/sip-caller.ts';
import { FINAL_STATUSES } from '../../rig/api-client.ts';
import { FROM, TO } from '../../rig/staged-call.ts';
import { type ChaosNode, pause } from './chaos-node.ts';

/** A caller who waits for our BYE gets it within this time, ms: staging, lease, adoption, retries of a termination. */
const BYE_WITHIN_MS = 120_000;
/** An INVITE gets its final response within this time, ms, unless its node is killed: longer than a node stands still. */
const FINAL_RESPONSE_WITHIN_MS = 60_000;
const API_RETRY_MS = 500;

export interface PlacedCall {
  readonly callId: string;
  /** The node that the INVITE went to. */
  readonly node: Pick<ChaosNode, 'name'>;
  readonly isAnswered: boolean;
  /** The caller hung up as planned. Otherwise it waited for our BYE. */
  readonly hangsUp: boolean;
  /** `ghost`: the caller waited in vain for a final response to its INVITE, or for our BYE. */
  readonly endedBy: EndedBy | 'ghost';
  readonly invitedAtMs: number;
  readonly answeredAtMs: number;
  readonly endedAtMs: number;
}

/** Stages calls on any node, dials in at any node, and ends half of them by the caller and half by the API. */
export class ChaosCalls {
  readonly placed: PlacedCall[] = [];
  /** Ids of all staged calls. */
  readonly staged: string[] = [];
  readonly #nodes: readonly ChaosNode[];
  readonly #random: () => number;
  readonly #agentId: string;
  #stopped = false;

  constructor(nodes: readonly ChaosNode[], agentId: string, random: () => number) {
    this.#nodes = nodes;
    this.#agentId = agentId;
    this.#random = random;
  }

  /** Keeps `concurrent` calls going until `stop`. Resolves when the last one has ended. */
  async run(concurrent: number): Promise<void> {
    await Promise.all(
      Array.from({ length: concurrent }, async () => {
        while (!this.#stopped) {
          const callId = await this.#stage();
          if (callId !== null) this.placed.push(await this.#place(callId));
          else await pause(API_RETRY_MS);
        }
      }),
    );
  }

  stop(): void {
    this.#stopped = true;
  }

  #anyNode(): ChaosNode {
    const node = this.#nodes[Math.floor(this.#random() * this.#nodes.length)];
    if (node === undefined) throw new Error('there is no node');
    return node;
  }

  async #stage(): Promise<string | null> {
    const request = { from_number: FROM, to_number: TO, agent_id: this.#agentId };
    const staged = await bounded(this.#anyNode().process.api.stage(request), 10_000);
    if (staged !== null) this.staged.push(staged);
    return staged;
  }

  async #place(callId: string): Promise<PlacedCall> {
    const node = this.#anyNode();
    const hangsUp = this.#random() < 0.5;
    const talkMs = 3_000 + this.#random() * 20_000;
    const rtp = await TalkingRtpPeer.open('127.0.0.1');
    const { promise: ended, resolve: end } = Promise.withResolvers<EndedBy | 'ghost'>();
    let answeredAtMs: number | null = null;
    const options = {
      target: { host: '127.0.0.1', port: node.process.sipPort },
      protocol: 'UDP',
      localAddress: '127.0.0.1',
      to: TO,
      from: FROM,
      headers: { 'X-Service-Call-Id': callId },
      sdp: rtp.offer(['pcmu']),
    } as const;
    const caller = new SipCaller(options, {
      onProvisional: () => undefined,
      onAnswered: (sdp) => {
        answeredAtMs = Date.now();
        if (rtp.take(sdp)) rtp.start(new Int16Array(0), () => undefined);
        if (hangsUp) setTimeout(() => caller.bye(), talkMs);
        else {
          setTimeout(() => void this.#terminate(callId), talkMs);
          setTimeout(() => end('ghost'), BYE_WITHIN_MS);
        }
      },
      onEnded: (by) => end(by),
    });
    const invitedAtMs = Date.now();
    await caller.invite();
    const impatience = setTimeout(() => {
      if (answeredAtMs === null) end('ghost');
    }, FINAL_RESPONSE_WITHIN_MS);
    const endedBy = await ended;
    clearTimeout(impatience);
    const endedAtMs = Date.now();
    // A second BYE, of a node that comes back, is answered as by any peer.
    setTimeout(() => {
      rtp.close();
      void caller.close();
    }, 1_000);
    const isAnswered = answeredAtMs !== null;
    const times = { invitedAtMs, answeredAtMs: answeredAtMs ?? endedAtMs, endedAtMs };
    return { callId, node, isAnswered, hangsUp, endedBy, ...times };
  }

  /** By any node, again until the call has ended. */
  async #terminate(callId: string): Promise<void> {
    for (;;) {
      const { api } = this.#anyNode().process;
      await bounded(api.send('POST', `/v1/calls/${callId}/terminate`), 12_000);
      const call = await bounded(api.call(callId), 5_000);
      if (call !== null && FINAL_STATUSES.includes(call.status)) return;
      await pause(API_RETRY_MS);
    }
  }
}

/** null if it fails, or takes longer. */
async function bounded<T>(work: Promise<T>, ms: number): Promise<T | null> {
  const timeout = Promise.withResolvers<null>();
  const timer = setTimeout(() => timeout.resolve(null), ms);
  try {
    return await Promise.race([work, timeout.promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
