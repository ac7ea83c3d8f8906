import { describe, expect, it } from 'vitest';
import { request, response, TCP, TransactionRig, UDP } from './transaction-rig.ts';

const invite = request('INVITE');
const bye = request('BYE');

describe('an INVITE of a peer', () => {
  it('repeated, it gets the last provisional response again, and nothing before there is one', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    transaction?.receiveRepeated();
    expect(rig.wire).toEqual([]);
    transaction?.respond(response(invite, 100));
    transaction?.respond(response(invite, 180));
    transaction?.receiveRepeated();
    expect(rig.wire.map(({ message }) => message.kind === 'response' && message.status)).toEqual([100, 180, 180]);
  });

  it('timer G repeats a refusal up to T2 apart, timer H gives up after 64·T1', () => {
    const rig = new TransactionRig();
    rig.server('INVITE', UDP)?.respond(response(invite, 486));
    rig.clock.advance(32_000);
    expect(rig.times(486)).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    expect(rig.failures).toEqual(['timeout']);
    expect(rig.isEmpty).toBe(true);
  });

  it('the ACK ends timer G; timer I absorbs repeated ACKs for T4', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    transaction?.respond(response(invite, 486));
    rig.clock.advance(100);
    transaction?.receiveAck();
    rig.clock.advance(4_999);
    transaction?.receiveAck();
    transaction?.receiveRepeated();
    expect(rig.times(486)).toEqual([0]);
    expect(rig.table.size).toBe(1);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
    expect(rig.failures).toEqual([]);
  });

  it('over TCP a refusal is sent once, and the ACK ends the transaction at once', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', TCP);
    transaction?.respond(response(invite, 486));
    rig.clock.advance(10_000);
    expect(rig.times(486)).toEqual([0]);
    transaction?.receiveAck();
    expect(rig.isEmpty).toBe(true);
  });

  it('after a 2xx repeated INVITEs are absorbed until timer L, and only the 2xx itself can be repeated', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    transaction?.respond(response(invite, 200));
    transaction?.receiveRepeated();
    transaction?.receiveAck();
    transaction?.respond(response(invite, 486));
    transaction?.repeatAccepted(response(invite, 200));
    expect(rig.times(200)).toEqual([0, 0]);
    expect(rig.times(486)).toEqual([]);
    rig.clock.advance(31_999);
    expect(rig.table.size).toBe(1);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
  });

  it('a second final response does nothing', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    transaction?.respond(response(invite, 487));
    transaction?.respond(response(invite, 200));
    transaction?.respond(response(invite, 180));
    expect(rig.times(200)).toEqual([]);
    expect(rig.times(180)).toEqual([]);
  });

  it('a refusal that cannot be sent ends it', () => {
    const rig = new TransactionRig();
    rig.server('INVITE', UDP)?.respond(response(invite, 486));
    rig.failLast();
    expect(rig.failures).toEqual(['transport']);
    expect(rig.isEmpty).toBe(true);
  });
});

describe('another request of a peer', () => {
  it('repeated before a response, it is absorbed; after, it gets the response again until timer J', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('BYE', UDP);
    transaction?.receiveRepeated();
    expect(rig.wire).toEqual([]);
    transaction?.respond(response(bye, 200));
    rig.clock.advance(31_999);
    transaction?.receiveRepeated();
    expect(rig.times(200)).toEqual([0, 31_999]);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
  });

  it('repeated after a provisional response, it gets that again', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('BYE', UDP);
    transaction?.respond(response(bye, 100));
    transaction?.receiveRepeated();
    expect(rig.times(100)).toEqual([0, 0]);
    transaction?.abandon();
  });

  it('over TCP it ends with its final response', () => {
    const rig = new TransactionRig();
    rig.server('BYE', TCP)?.respond(response(bye, 200));
    expect(rig.isEmpty).toBe(true);
  });
});
