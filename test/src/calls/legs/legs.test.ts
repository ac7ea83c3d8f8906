import { beforeEach, describe, expect, it } from 'vitest';
import type { CallControlEvent, TransferRequest } from '../../../../engine/ports/call-control.ts';
import type { SourceVerification } from '../../../../sip/media/source-verification.ts';
import type { RtpParameters } from '../../../../sip/rtp/rtp-parameters.ts';
import type { InboundInvite, OutboundOutcome, SipDialog } from '../../../../sip/signalling/signalling.ts';
import { createInboundLeg } from '../../../../src/calls/legs/inbound-leg.ts';
import { LegSession } from '../../../../src/calls/legs/leg-session.ts';
import { createOutboundLeg } from '../../../../src/calls/legs/outbound-leg.ts';
import { SdpNegotiation } from '../../../../src/calls/legs/sdp-negotiation.ts';
import { NETWORK_UNANSWERED_MS_MAX, UnansweredRtpBudget } from '../../../../src/calls/legs/unanswered-rtp-budget.ts';
import { FIRST_GRANT_MS } from '../../../../src/calls/legs/unanswered-rtp-grants.ts';

const describeMedia = (...media: string[]): string =>
  `${['v=0', 'o=- 1 1 IN IP4 198.51.100.7', 's=-', 'c=IN IP4 198.51.100.7', 't=0 0', ...media].join('\r\n')}\r\n`;
const SPEECH = describeMedia('m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:101 telephone-event/8000');
const NO_SPEECH = describeMedia('m=audio 4000 RTP/AVP 18');

type Offered = Parameters<SipDialog['onOffer']>[0];
type Late = Parameters<SipDialog['onLateOffer']>[0];
type Pressed = Parameters<SipDialog['onDtmf']>[0];
type Refer = Parameters<SipDialog['refer']>;

/** A confirmed dialog that the test scripts. */
class FakeDialog implements SipDialog {
  readonly sipCallId = 'call';
  byes = 0;
  offered: Offered = () => ({ refuse: 488 });
  late: Late | null = null;
  pressed: Pressed | null = null;
  referred: Refer | null = null;
  #ended: ((cause: 'remote_bye' | 'local_bye', detail: string | null) => void) | null = null;

  recovery() {
    return null;
  }
  async bye(): Promise<void> {
    this.byes += 1;
    this.#ended?.('local_bye', null);
  }
  onEnded(listener: (cause: 'remote_bye' | 'local_bye', detail: string | null) => void): void {
    this.#ended = listener;
  }
  onOffer(listener: Offered): void {
    this.offered = listener;
  }
  onDtmf(listener: Pressed): void {
    this.pressed = listener;
  }
  onLateOffer(owner: Late): void {
    this.late = owner;
  }
  refer(...refer: Refer): void {
    this.referred = refer;
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the legs of a call', () => {
  let configured: RtpParameters[];
  let pressed: (readonly [string, number])[];
  let events: CallControlEvent[];
  let dialog: FakeDialog;
  let session: LegSession;
  let unansweredRtp: UnansweredRtpBudget;
  /** The media's report about the peer's packets. */
  let reported: (result: SourceVerification) => void;
  const followed = { onDialog() {}, onBridgedDialog() {}, onRedirected() {}, onLost() {}, bridging: null };

  beforeEach(() => {
    configured = [];
    pressed = [];
    events = [];
    dialog = new FakeDialog();
    const negotiation = new SdpNegotiation({ addresses: ['192.0.2.1'], port: 20_000, sessionId: '7' });
    const media = {
      configure: (parameters: RtpParameters) => void configured.push(parameters),
      receiveInfoDtmf: (digit: string, durationMs: number) => void pressed.push([digit, durationMs]),
      onSourceVerification: (listener: (result: SourceVerification) => void) => {
        reported = listener;
      },
    };
    unansweredRtp = new UnansweredRtpBudget({ nowUs: () => 0 });
    session = new LegSession(negotiation, media, { address: '198.51.100.7', unansweredRtp });
  });

  /** An INVITE whose ACK the test sends. */
  const inbound = (offer: string | null, isSourceTrusted = true) => {
    const acked = Promise.withResolvers<SipDialog | null>();
    const sent: string[] = [];
    const invite = {
      sipCallId: 'call',
      uri: 'sip:x@192.0.2.1',
      dialled: '',
      addressee: '',
      caller: '',
      serviceCallId: null,
      source: { address: '198.51.100.7', port: 5060, transport: 'udp' },
      header: () => null,
      offer,
      answer: null as string | null,
      recovery: null,
      ring: () => {},
      refuse: () => {},
      accept: (sdp: string) => {
        sent.push(sdp);
        return acked.promise;
      },
      cancelled: false,
      onCancelled: () => {},
    } satisfies InboundInvite;
    const leg = createInboundLeg({ invite, isSourceTrusted, session, ...followed });
    leg.onEvent((event) => events.push(event));
    const ack = async (answer: string | null) => {
      invite.answer = answer;
      acked.resolve(dialog);
      await settled();
    };
    return { leg, sent, ack };
  };
  const types = () => events.map(({ type }) => type);

  describe('a late offer', () => {
    it('gets our offer, and the call counts as answered once the ACK contains the answer', async () => {
      const { leg, sent, ack } = inbound(null);
      leg.answer();
      expect(sent[0]).toContain('m=audio 20000 RTP/AVP 0 8 101');
      expect(sent[0]).toContain('a=sendrecv');
      await settled();
      expect(events).toEqual([]);
      expect(configured).toEqual([]);
      await ack(SPEECH);
      expect(events).toEqual([{ type: 'answered' }]);
      expect(configured).toMatchObject([{ codec: 'pcmu', remoteAddress: '198.51.100.7', remotePort: 4_000 }]);
      expect(dialog.byes).toBe(0);
    });

    it.each([
      ['no answer', null],
      ['an answer without a supported codec', NO_SPEECH],
      ['an answer that refuses the stream', describeMedia('m=audio 0 RTP/AVP 0')],
      ['invalid SDP', 'hello'],
    ])('ends with a BYE, and is never answered, if the ACK contains %s', async (_content, answer) => {
      const { leg, ack } = inbound(null);
      leg.answer();
      await ack(answer);
      expect(events).toEqual([{ type: 'ended', cause: 'sip_error', detail: expect.stringMatching(/SDP answer/) }]);
      expect(dialog.byes).toBe(1);
      expect(configured).toEqual([]);
    });

    it('gets a BYE, and never counts as answered, if we hang up before the ACK', async () => {
      const { leg, ack } = inbound(null);
      leg.answer();
      leg.hangUp();
      await ack(SPEECH);
      expect(events).toEqual([{ type: 'ended', cause: 'local_bye' }]);
      expect(dialog.byes).toBe(1);
    });
  });

  it('sends the answer and starts the media with the 200', async () => {
    const { leg, ack } = inbound(SPEECH);
    leg.answer();
    expect(types()).toEqual(['answered']);
    await ack(null);
    expect(types()).toEqual(['answered']);
    expect(configured).toHaveLength(1);
    expect(configured[0]?.sourceUnverified).toBe(undefined);
  });

  describe('with an untrusted source', () => {
    const expectedSession = { direction: 'sendrecv', remotePort: 4_000 };
    const VICTIM = '203.0.113.66';
    const ELSEWHERE = SPEECH.replaceAll('198.51.100.7', VICTIM);

    it('is accepted with the 200 and answered with the ACK, and sends nothing before', async () => {
      const { leg, ack } = inbound(SPEECH, false);
      leg.answer();
      await settled();
      expect(types()).toEqual(['accepted']);
      expect(configured).toMatchObject([{ ...expectedSession, sourceUnverified: true }]);
      await ack(null);
      expect(types()).toEqual(['accepted', 'answered']);
      expect(configured).toMatchObject([{}, expectedSession]);
      expect(configured[1]?.sourceUnverified).toBe(undefined);
      expect(configured[1]?.unansweredMsMax).toBe(undefined);
    });

    it('is answered once, by audio of the peer or by the ACK', async () => {
      const { leg, ack } = inbound(SPEECH, false);
      leg.answer();
      reported('verified');
      expect(types()).toEqual(['accepted', 'answered']);
      expect(configured[1]?.sourceUnverified).toBe(undefined);
      await ack(null);
      reported('verified');
      expect(types()).toEqual(['accepted', 'answered']);
      expect(configured).toHaveLength(2);
    });

    it('stays on hold if it began on hold', async () => {
      const { leg, ack } = inbound(`${SPEECH}a=sendonly\r\n`, false);
      leg.answer();
      await ack(null);
      expect(types()).toEqual(['accepted', 'answered', 'on_hold']);
      expect(configured.at(-1)).toMatchObject({ direction: 'recvonly' });
      dialog.offered(SPEECH);
      expect(types()).toEqual(['accepted', 'answered', 'on_hold', 'off_hold']);
      expect(configured.at(-1)?.sourceUnverified).toBe(undefined);
    });

    it('and a late offer gets audio after the ACK, which contains its address', async () => {
      const { leg, ack } = inbound(null, false);
      leg.answer();
      await ack(SPEECH);
      expect(types()).toEqual(['answered']);
      expect(configured).toMatchObject([expectedSession]);
      expect(configured[0]?.sourceUnverified).toBe(undefined);
    });

    it('gets nothing but a BYE if it is hung up before the ACK', async () => {
      const { leg, ack } = inbound(SPEECH, false);
      leg.answer();
      leg.hangUp();
      await ack(null);
      expect(types()).toEqual(['accepted', 'ended']);
      expect(configured).toMatchObject([{ sourceUnverified: true }]);
      expect(dialog.byes).toBe(1);
    });

    it('gets bounded audio at another address than its own, and is on hold while the media is silenced', async () => {
      const { leg, ack } = inbound(ELSEWHERE, false);
      leg.answer();
      await ack(null);
      expect(configured.at(-1)).toMatchObject({ remoteAddress: VICTIM, unansweredMsMax: FIRST_GRANT_MS });
      reported('silenced');
      expect(configured.at(-1)).toMatchObject({ remoteAddress: VICTIM, unansweredMsMax: NETWORK_UNANSWERED_MS_MAX });
      reported('resumed');
      expect(types()).toEqual(['accepted', 'answered']);
      reported('silenced');
      expect(types()).toEqual(['accepted', 'answered', 'on_hold']);
      reported('resumed');
      expect(types()).toEqual(['accepted', 'answered', 'on_hold', 'off_hold']);
      expect(configured).toHaveLength(3);
    });

    it('gets nothing at an address to which other calls have sent as much as all may, until its packets come', async () => {
      const { leg, ack } = inbound(ELSEWHERE, false);
      leg.answer();
      // An unverified call takes nothing.
      expect(unansweredRtp.take(VICTIM, NETWORK_UNANSWERED_MS_MAX)).toBe(NETWORK_UNANSWERED_MS_MAX);
      await ack(null);
      expect(configured.at(-1)).toMatchObject({ remoteAddress: VICTIM, unansweredMsMax: 0 });
      reported('silenced');
      expect(types()).toEqual(['accepted', 'answered', 'on_hold']);
      reported('resumed');
      expect(types()).toEqual(['accepted', 'answered', 'on_hold', 'off_hold']);
    });

    it('gets bounded audio at the address of a later offer', async () => {
      const { leg, ack } = inbound(SPEECH, false);
      leg.answer();
      await ack(null);
      dialog.offered(ELSEWHERE);
      expect(configured.at(-1)).toMatchObject({ remoteAddress: VICTIM, unansweredMsMax: FIRST_GRANT_MS });
    });
  });

  it('a call that starts on hold is answered and then on hold, so that the agent waits', async () => {
    const { leg } = inbound(`${SPEECH}a=sendonly\r\n`);
    leg.answer();
    expect(types()).toEqual(['answered', 'on_hold']);
    expect(configured).toMatchObject([{ direction: 'recvonly' }]);
  });

  describe('within a call', () => {
    beforeEach(async () => {
      const { leg, ack } = inbound(SPEECH);
      leg.answer();
      await ack(null);
      expect(types()).toEqual(['answered']);
    });

    it.each([
      ['sendonly', describeMedia('m=audio 4000 RTP/AVP 0', 'a=sendonly'), 'recvonly'],
      ['recvonly', describeMedia('m=audio 4000 RTP/AVP 0', 'a=recvonly'), 'sendonly'],
      ['inactive', describeMedia('m=audio 4000 RTP/AVP 0', 'a=inactive'), 'inactive'],
      ['0.0.0.0', describeMedia('m=audio 4000 RTP/AVP 0', 'c=IN IP4 0.0.0.0'), 'recvonly'],
    ])('reports a hold by %s once, answers it, and reports the resume once', (_form, hold, direction) => {
      expect(dialog.offered(hold)).toMatchObject({ sdp: expect.stringContaining(`a=${direction}`) });
      dialog.offered(hold);
      expect(types()).toEqual(['answered', 'on_hold']);
      dialog.offered(SPEECH);
      expect(types()).toEqual(['answered', 'on_hold', 'off_hold']);
      expect(configured.at(-1)).toMatchObject({ direction: 'sendrecv', remoteAddress: '198.51.100.7' });
    });

    it('refuses an offer that removes the stream, and the call continues unchanged', () => {
      expect(dialog.offered(describeMedia('m=audio 0 RTP/AVP 0'))).toEqual({ refuse: 488 });
      expect(types()).toEqual(['answered']);
      expect(configured).toHaveLength(1);
    });

    it('adopts codec, port and telephone-event payload type of a new offer', () => {
      const moved = describeMedia('m=audio 4400 RTP/AVP 8 96', 'a=rtpmap:96 telephone-event/8000', 'a=ptime:30');
      expect(dialog.offered(moved)).toMatchObject({ sdp: expect.stringContaining('m=audio 20000 RTP/AVP 8 96') });
      expect(configured.at(-1)).toMatchObject({ codec: 'pcma', remotePort: 4_400, dtmfPayloadType: 96 });
    });

    it('a re-INVITE without an offer ends a hold, because our offer is sendrecv', () => {
      dialog.offered(`${SPEECH}a=sendonly\r\n`);
      const offer = dialog.late?.offer();
      expect(offer).toContain('a=sendrecv');
      expect(types()).toEqual(['answered', 'on_hold']);
      dialog.late?.answered(SPEECH);
      expect(types()).toEqual(['answered', 'on_hold', 'off_hold']);
      expect(dialog.byes).toBe(0);
    });

    it('a late answer without a supported codec ends the call', () => {
      dialog.late?.offer();
      dialog.late?.answered(NO_SPEECH);
      expect(events.at(-1)).toEqual({ type: 'ended', cause: 'sip_error', detail: expect.any(String) });
      expect(dialog.byes).toBe(1);
    });

    it('our offer keeps the positions of refused m-lines and the telephone-event payload type', () => {
      dialog.offered(
        describeMedia('m=video 5000 RTP/AVP 96', 'm=audio 4000 RTP/AVP 0 97', 'a=rtpmap:97 telephone-event/8000'),
      );
      const offer = dialog.late?.offer() ?? '';
      expect(offer.match(/^m=.*$/gm)).toEqual(['m=video 0 RTP/AVP 96', 'm=audio 20000 RTP/AVP 0 8 97']);
      dialog.late?.answered(describeMedia('m=video 0 RTP/AVP 96', 'm=audio 4002 RTP/AVP 8'));
      expect(configured.at(-1)).toMatchObject({ codec: 'pcma', remotePort: 4_002, dtmfPayloadType: null });
    });
  });

  it('DTMF digits of SIP INFO go to the media', async () => {
    const { leg, ack } = inbound(SPEECH);
    leg.answer();
    await ack(null);
    dialog.pressed?.({ digit: '#', durationMs: 160 });
    expect(pressed).toEqual([['#', 160]]);
  });

  it('a callee that answers on hold is on hold', async () => {
    const outcome: OutboundOutcome = { type: 'answered', dialog, answer: `${SPEECH}a=inactive\r\n` };
    session.offer();
    const attempt = { sipCallId: 'call', onRinging: () => {}, outcome: Promise.resolve(outcome), cancel: () => {} };
    createOutboundLeg({ attempt, session, ...followed }).onEvent((event) => events.push(event));
    await settled();
    expect(types()).toEqual(['answered', 'on_hold']);
  });

  describe('a transfer', () => {
    const request: TransferRequest = { destination: '+4930222222', mode: 'refer', headers: {}, ringTimeoutMs: 20_000 };
    const answered = async () => {
      const { leg, ack } = inbound(SPEECH);
      leg.answer();
      await ack(null);
      events.length = 0;
      return leg;
    };

    it.each([
      [{ type: 'succeeded' }, { type: 'transfer_succeeded' }],
      [
        { type: 'refused', status: 405 },
        { type: 'transfer_failed', refused: true, reason: "the caller's side takes no transfer (405)" },
      ],
      [
        { type: 'failed', status: 486, reason: 'x' },
        { type: 'transfer_failed', reason: 'the line is busy' },
      ],
      [
        { type: 'failed', status: null, reason: 'why' },
        { type: 'transfer_failed', reason: 'why' },
      ],
    ] as const)('by REFER with the outcome %o reports that outcome', async (outcome, event) => {
      (await answered()).transfer(request);
      expect(dialog.referred?.[0]).toEqual({ to: 'tel:+4930222222', headers: {}, deadlineMs: 28_000 });
      expect(events).toEqual([]);
      dialog.referred?.[1](outcome);
      expect(events).toEqual([event]);
    });

    it('fails before the call is answered', () => {
      const { leg } = inbound(SPEECH);
      leg.transfer(request);
      expect(events).toEqual([{ type: 'transfer_failed', reason: 'the call is not connected' }]);
    });

    it('by bridge fails for a leg that is one side of a bridge, without a REFER', async () => {
      (await answered()).transfer({ ...request, mode: 'bridge' });
      expect(events).toEqual([{ type: 'transfer_failed', reason: 'this leg cannot be bridged' }]);
      expect(dialog.referred).toBeNull();
    });
  });
});
