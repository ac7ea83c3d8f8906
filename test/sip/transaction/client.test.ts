import { describe, expect, it } from 'vitest';
import { T4_MS, TRANSACTION_TIMEOUT_MS } from '../../../sip/transaction/timer-values.ts';
import { ORIGIN, request, response, TCP, TransactionRig, UDP } from './transaction-rig.ts';

describe('an INVITE client transaction', () => {
  it('repeats the INVITE over UDP at doubled intervals (timer A), and times out after 64·T1 (timer B)', () => {
    const rig = new TransactionRig();
    rig.client('INVITE', UDP);
    rig.clock.advance(TRANSACTION_TIMEOUT_MS - 1);
    expect(rig.times('INVITE')).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 31_500]);
    expect(rig.failures).toEqual([]);
    rig.clock.advance(1);
    expect(rig.failures).toEqual(['timeout']);
    expect(rig.isEmpty).toBe(true);
  });

  it('sends the INVITE once over TCP', () => {
    const rig = new TransactionRig();
    rig.client('INVITE', TCP);
    rig.clock.advance(TRANSACTION_TIMEOUT_MS);
    expect(rig.times('INVITE')).toEqual([0]);
    expect(rig.failures).toEqual(['timeout']);
    expect(rig.isEmpty).toBe(true);
  });

  it('stops timers A and B at a provisional response', () => {
    const rig = new TransactionRig();
    const transaction = rig.client('INVITE', UDP);
    transaction?.receive(response(request('INVITE'), 180), ORIGIN);
    rig.clock.advance(600_000);
    expect(rig.times('INVITE')).toEqual([0]);
    expect(rig.delivered).toEqual([180]);
    expect(rig.failures).toEqual([]);
    transaction?.abandon();
    expect(rig.isEmpty).toBe(true);
  });

  it('acknowledges a refusal and its repetitions until timer D', () => {
    const rig = new TransactionRig();
    const transaction = rig.client('INVITE', UDP);
    const refusal = response(request('INVITE'), 486);
    transaction?.receive(refusal, ORIGIN);
    rig.clock.advance(500);
    transaction?.receive(refusal, ORIGIN);
    rig.clock.advance(31_499);
    transaction?.receive(refusal, ORIGIN);
    expect(rig.times('ACK')).toEqual([0, 500, 31_999]);
    expect(rig.delivered).toEqual([486]);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
  });

  it('ends with a refusal over TCP', () => {
    const rig = new TransactionRig();
    rig.client('INVITE', TCP)?.receive(response(request('INVITE'), 486), ORIGIN);
    expect(rig.times('ACK')).toEqual([0]);
    expect(rig.isEmpty).toBe(true);
  });

  it.each([
    ['UDP', UDP],
    ['TCP', TCP],
  ] as const)('over %s delivers every 2xx without an ACK until timer M', (_name, hops) => {
    const rig = new TransactionRig();
    const transaction = rig.client('INVITE', hops);
    transaction?.receive(response(request('INVITE'), 200), ORIGIN);
    rig.clock.advance(TRANSACTION_TIMEOUT_MS - 1);
    transaction?.receive(response(request('INVITE'), 200), ORIGIN);
    transaction?.receive(response(request('INVITE'), 486), ORIGIN);
    transaction?.receive(response(request('INVITE'), 180), ORIGIN);
    expect(rig.delivered).toEqual([200, 200]);
    expect(rig.times('ACK')).toEqual([]);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
    expect(rig.failures).toEqual([]);
  });

  it('fails once if the INVITE cannot be sent', () => {
    const rig = new TransactionRig();
    rig.client('INVITE', UDP);
    rig.failLast();
    rig.failLast();
    expect(rig.failures).toEqual(['transport']);
    expect(rig.isEmpty).toBe(true);
  });

  it('ends if the ACK to a delivered refusal cannot be sent', () => {
    const rig = new TransactionRig();
    rig.client('INVITE', UDP)?.receive(response(request('INVITE'), 486), ORIGIN);
    rig.failLast();
    expect(rig.delivered).toEqual([486]);
    expect(rig.isEmpty).toBe(true);
  });
});

describe('a non-INVITE client transaction', () => {
  it('repeats the request at doubled intervals up to T2 (timer E), and times out after 64·T1 (timer F)', () => {
    const rig = new TransactionRig();
    rig.client('BYE', UDP);
    rig.clock.advance(TRANSACTION_TIMEOUT_MS);
    expect(rig.times('BYE')).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    expect(rig.failures).toEqual(['timeout']);
    expect(rig.isEmpty).toBe(true);
  });

  it('repeats the request every T2 after a provisional response', () => {
    const rig = new TransactionRig();
    const transaction = rig.client('BYE', UDP);
    rig.clock.advance(100);
    transaction?.receive(response(request('BYE'), 100), ORIGIN);
    rig.clock.advance(31_900);
    expect(rig.times('BYE')).toEqual([0, 500, 4_500, 8_500, 12_500, 16_500, 20_500, 24_500, 28_500]);
    expect(rig.failures).toEqual(['timeout']);
    expect(rig.isEmpty).toBe(true);
  });

  it('absorbs repeated final responses for T4 (timer K)', () => {
    const rig = new TransactionRig();
    const transaction = rig.client('BYE', UDP);
    transaction?.receive(response(request('BYE'), 200), ORIGIN);
    rig.clock.advance(T4_MS - 1);
    transaction?.receive(response(request('BYE'), 200), ORIGIN);
    expect(rig.delivered).toEqual([200]);
    expect(rig.table.size).toBe(1);
    rig.clock.advance(1);
    expect(rig.isEmpty).toBe(true);
  });

  it('sends the request once over TCP, and ends with the final response', () => {
    const rig = new TransactionRig();
    const transaction = rig.client('BYE', TCP);
    rig.clock.advance(10_000);
    transaction?.receive(response(request('BYE'), 200), ORIGIN);
    expect(rig.times('BYE')).toEqual([0]);
    expect(rig.isEmpty).toBe(true);
  });
});
