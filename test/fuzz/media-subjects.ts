import fc from 'fast-check';
import { DtmfReceiver } from '../../sip/rtp/dtmf/dtmf-receiver.ts';
import { createTelephoneEvent, decodeTelephoneEvent } from '../../sip/rtp/dtmf/telephone-event.ts';
import { comfortNoiseLevel } from '../../sip/rtp/jitter-buffer/comfort-noise.ts';
import { createRtpPacket, decodeRtp, looksLikeRtcp } from '../../sip/rtp/packet/rtp-packet.ts';
import { ReorderWindow, RTP_PAYLOAD_BYTES_MAX } from '../../sip/rtp/reception/reorder-window.ts';
import { RtpSource } from '../../sip/rtp/reception/rtp-source.ts';
import { ReceptionStatistics } from '../../sip/rtp/rtcp/reception-statistics.ts';
import { decodeRtcp, encodeRtcp } from '../../sip/rtp/rtcp/rtcp-packet.ts';
import { createPacketCipher } from '../../sip/rtp/srtp/create-cipher.ts';
import { SrtpReceiver } from '../../sip/rtp/srtp/srtp-stream.ts';
import { masterKeyBytes, SRTP_SUITES } from '../../sip/rtp/srtp/srtp-suite.ts';
import { answerOffer } from '../../sip/sdp/answer-offer.ts';
import type { LocalMedia } from '../../sip/sdp/local-description.ts';
import { createLocalSrtp } from '../../sip/sdp/local-srtp.ts';
import { makeOffer } from '../../sip/sdp/make-offer.ts';
import { readAnswer } from '../../sip/sdp/read-answer.ts';
import { mutated } from './mutation.ts';
import { PACKET_SEEDS, RTCP_SEEDS, SDP_SEEDS } from './seeds.ts';
import { must, type Subject, subject } from './subject.ts';

const KEYS = (count: number) => new Uint8Array(count).fill(7);
const LOCAL: LocalMedia = {
  address: '192.0.2.9',
  port: 4_000,
  sessionId: '1',
  previous: null,
  srtp: createLocalSrtp('optional', KEYS),
};
const PEER = { sourceAddress: '192.0.2.1', nat: false };
const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'];

export function mediaSubjects(): readonly Subject[] {
  const descriptions = mutated(SDP_SEEDS.map((text) => new TextEncoder().encode(text)));
  return [
    subject('SDP', descriptions, negotiate),
    subject('RTP', fc.array(mutated(PACKET_SEEDS), { minLength: 1, maxLength: 8 }), receive),
    subject('RTCP', mutated([...RTCP_SEEDS, ...PACKET_SEEDS]), readReports),
    subject('SRTP', mutated(PACKET_SEEDS), authenticate),
  ];
}

function negotiate(bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString('utf8');
  const result = answerOffer(text, LOCAL, PEER);
  if (result.ok) {
    // Our answer must parse as an answer.
    must(DIRECTIONS.includes(result.session.direction), 'no direction');
    must(result.session.remotePort >= 0 && result.session.remotePort <= 65_535, 'a port out of range');
    must(!/[\0]/.test(result.answer), 'a NUL in our answer');
    const lines = (sdp: string) => sdp.split(/\r\n|\r|\n/).filter((line) => line.startsWith('m=')).length;
    must(lines(result.answer) === lines(text), 'an answer with more or fewer media lines than its offer');
    answerOffer(text, { ...LOCAL, previous: result.answer }, PEER);
  } else must(result.status === 488, 'a rejection other than 488');
  const reading = readAnswer(makeOffer(LOCAL), text, PEER);
  if (reading.ok) must(reading.session.remotePort <= 65_535, 'a port out of range');
}

/** One caller's packets, from the datagram to the audio, as the media worker processes them. */
function receive(datagrams: readonly Uint8Array[]): void {
  const packet = createRtpPacket();
  const source = new RtpSource(8_000);
  const statistics = new ReceptionStatistics(source);
  const order = new ReorderWindow();
  const event = createTelephoneEvent();
  const dtmf = new DtmfReceiver(8_000, (digit, durationMs) => {
    must(digit.length === 1 && Number.isFinite(durationMs), 'an invalid digit');
  });
  datagrams.forEach((datagram, index) => {
    const nowMs = index * 20;
    looksLikeRtcp(datagram, datagram.length);
    if (decodeRtp(datagram, datagram.length, packet)) {
      must(((datagram[0] ?? 0) & 0xc0) === 0x80, 'a version other than 2, such as STUN');
      must(packet.payloadOffset + packet.payloadLength <= datagram.length, 'a payload beyond its packet');
      if (source.receive(packet, nowMs) !== 'dropped') {
        statistics.update(packet.timestamp, nowMs);
        const { payloadLength, payloadOffset, payloadType, sequence, timestamp } = packet;
        order.push(sequence, timestamp, payloadType, datagram, payloadOffset, payloadLength, nowMs);
      }
    }
    for (let released = 0; order.next(nowMs); released++) {
      must(released <= datagrams.length, 'more packets released than received');
      must(order.length <= RTP_PAYLOAD_BYTES_MAX, 'a payload longer than its maximum');
      const level = comfortNoiseLevel(order.payload, order.length);
      must(level >= 0 && level <= 127, 'a noise level out of range');
      if (decodeTelephoneEvent(order.payload, 0, order.length, event)) dtmf.receive(event, order.timestamp, nowMs);
    }
    dtmf.tick(nowMs);
    const report = statistics.report(0, 0);
    must(report.fractionLost >= 0 && report.fractionLost <= 255, 'a fraction of losses out of range');
    encodeRtcp([{ type: 'receiver_report', ssrc: 1, reports: [report] }]);
  });
}

function readReports(bytes: Uint8Array): void {
  const packets = decodeRtcp(bytes);
  if (packets === null) return;
  must(packets.length <= bytes.length / 4, 'more packets than fit');
  // A decoded input can be encoded and decoded again.
  const again = decodeRtcp(encodeRtcp(packets));
  must(packets.length === 0 || again !== null, 'the encoded packets cannot be decoded');
}

const MASTER = KEYS(masterKeyBytes('AES_CM_128_HMAC_SHA1_80'));
const receiver = new SrtpReceiver(
  createPacketCipher('AES_CM_128_HMAC_SHA1_80', MASTER, 'rtp'),
  SRTP_SUITES.AES_CM_128_HMAC_SHA1_80.tagBytes,
);

function authenticate(bytes: Uint8Array): void {
  must(receiver.unprotect(bytes) === 0, 'random bytes were accepted as authentic');
}
