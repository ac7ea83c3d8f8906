import { describe, expect, it } from 'vitest';
import { serializeMessage } from '../../../sip/message/serialize-message.ts';
import { T4_MS, TRANSACTION_TIMEOUT_MS } from '../../../sip/transaction/timer-values.ts';
import { request, response, TCP, TransactionRig, UDP } from './transaction-rig.ts';

const invite = request('INVITE');
const bye = request('BYE');

describe('an INVITE server transaction', () => {
  it('answers a repeated INVITE with the last provisional response, or not at all before one', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    transaction?.receiveRepeated();
    expect(rig.wire).toEqual([]);
    transaction?.respond(response(invite, 100));
    transaction?.respond(response(invite, 180));
    transaction?.receiveRepeated();
    expect(rig.wire.map(({ message }) => message.kind === 'response' && message.status)).toEqual([100, 180, 180]);
  });

  it('repeats a refusal at intervals up to T2 (timer G), and times out after 64·T1 (timer H)', () => {
    const rig = new TransactionRig();
    rig.server('INVITE', UDP)?.respond(response(invite, 486));
    rig.clock.advance(TRANSACTION_TIMEOUT_MS);
    expect(rig.times(486)).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    expect(rig.failures).toEqual(['timeout']);
    expect(rig.isEmpty).toBe(true);
  });

  it('stops timer G at the ACK, and absorbs repeated ACKs for T4 (timer I)', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    transaction?.respond(response(invite, 486));
    rig.clock.advance(100);
    transaction?.receiveAck();
    rig.clock.advance(T4_MS - 1);
    transaction?.receiveAck();
    transaction?.receiveRepeated();
    expect(rig.times(486)).toEqual([0]);
    expect(rig.table.size).toBe(1);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
    expect(rig.failures).toEqual([]);
  });

  it('sends a refusal once over TCP, and ends with the ACK', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', TCP);
    transaction?.respond(response(invite, 486));
    rig.clock.advance(10_000);
    expect(rig.times(486)).toEqual([0]);
    transaction?.receiveAck();
    expect(rig.isEmpty).toBe(true);
  });

  it('absorbs repeated INVITEs after a 2xx until timer L, and repeats only the 2xx on request', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    transaction?.respond(response(invite, 200));
    transaction?.receiveRepeated();
    transaction?.receiveAck();
    transaction?.respond(response(invite, 486));
    transaction?.repeat(response(invite, 200));
    expect(rig.times(200)).toEqual([0, 0]);
    expect(rig.times(486)).toEqual([]);
    rig.clock.advance(TRANSACTION_TIMEOUT_MS - 1);
    expect(rig.table.size).toBe(1);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
  });

  it('sends no retransmission beyond its bytes, and still answers a repeated INVITE', () => {
    const rig = new TransactionRig();
    const refusal = response(invite, 486);
    const bytes = serializeMessage(refusal).length;
    const handlers = { onFailed: () => undefined, onEnded: () => undefined };
    const transaction = rig.table.createServer(invite, UDP, { ...handlers, bytesMax: 3 * bytes });
    transaction?.respond(refusal);
    rig.clock.advance(TRANSACTION_TIMEOUT_MS - 1);
    expect(rig.times(486)).toEqual([0, 500, 1_500]);
    transaction?.receiveRepeated();
    expect(rig.times(486)).toHaveLength(4);
  });

  it('ignores responses after the final response', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    transaction?.respond(response(invite, 487));
    transaction?.respond(response(invite, 200));
    transaction?.respond(response(invite, 180));
    expect(rig.times(200)).toEqual([]);
    expect(rig.times(180)).toEqual([]);
  });

  it('fails if a refusal cannot be sent', () => {
    const rig = new TransactionRig();
    rig.server('INVITE', UDP)?.respond(response(invite, 486));
    rig.failLast();
    expect(rig.failures).toEqual(['transport']);
    expect(rig.isEmpty).toBe(true);
  });
});

describe('a non-INVITE server transaction', () => {
  it('absorbs a repeated request before the response, and repeats the response after it until timer J', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('BYE', UDP);
    transaction?.receiveRepeated();
    expect(rig.wire).toEqual([]);
    transaction?.respond(response(bye, 200));
    rig.clock.advance(TRANSACTION_TIMEOUT_MS - 1);
    transaction?.receiveRepeated();
    expect(rig.times(200)).toEqual([0, TRANSACTION_TIMEOUT_MS - 1]);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
  });

  it('repeats a provisional response to a repeated request', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('BYE', UDP);
    transaction?.respond(response(bye, 100));
    transaction?.receiveRepeated();
    expect(rig.times(100)).toEqual([0, 0]);
    transaction?.abandon();
  });

  it('ends with its final response over TCP', () => {
    const rig = new TransactionRig();
    rig.server('BYE', TCP)?.respond(response(bye, 200));
    expect(rig.isEmpty).toBe(true);
  });
});
