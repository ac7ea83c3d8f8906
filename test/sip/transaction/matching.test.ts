import { describe, expect, it } from 'vitest';
import { request, response, TransactionRig, UDP } from './transaction-rig.ts';

const handlers = { onFailed: () => undefined, onEnded: () => undefined };

describe('a request is matched', () => {
  const rig = new TransactionRig();
  const transaction = rig.server('INVITE', UDP);

  it('by branch, sent-by and method', () => {
    expect(rig.table.findServer(request('INVITE'))).toBe(transaction);
    expect(rig.table.findServer(request('INVITE', { branch: 'Z9HG4BKONE' }))).toBe(null);
    expect(rig.table.findServer(request('INVITE', { branch: 'z9hG4bKtwo' }))).toBe(null);
    expect(rig.table.findServer(request('INVITE', { sentBy: '192.0.2.9:5061' }))).toBe(null);
    expect(rig.table.findServer(request('INVITE', { sentBy: '192.0.2.8:5060' }))).toBe(null);
    expect(rig.table.findServer(request('OPTIONS'))).toBe(null);
  });

  it('to its INVITE as an ACK, with any To tag', () => {
    expect(rig.table.findServer(request('ACK', { toTag: 'to' }))).toBe(transaction);
  });

  it('to its INVITE as a CANCEL, only with the method INVITE', () => {
    expect(rig.table.findServer(request('CANCEL'))).toBe(null);
    expect(rig.table.findServer(request('CANCEL'), 'INVITE')).toBe(transaction);
  });
});

describe('a request of RFC 2543, without the magic cookie,', () => {
  const rfc2543Request = (method: string, changes: Parameters<typeof request>[1] = {}) =>
    request(method, { branch: '1', ...changes });

  it('is matched by Request-URI, tags, Call-ID, CSeq and topmost Via', () => {
    const rig = new TransactionRig();
    const transaction = rig.table.createServer(rfc2543Request('INVITE'), UDP, handlers);
    expect(rig.table.findServer(rfc2543Request('INVITE'))).toBe(transaction);
    expect(rig.table.findServer(rfc2543Request('ACK', { toTag: 'ours' }))).toBe(transaction);
    expect(rig.table.findServer(rfc2543Request('CANCEL'), 'INVITE')).toBe(transaction);
    expect(rig.table.findServer(rfc2543Request('INVITE', { cseq: 2 }))).toBe(null);
    expect(rig.table.findServer(rfc2543Request('INVITE', { sentBy: '192.0.2.8' }))).toBe(null);
  });

  it('is not matched to a BYE of another dialog', () => {
    const rig = new TransactionRig();
    rig.table.createServer(rfc2543Request('BYE', { toTag: 'one' }), UDP, handlers);
    expect(rig.table.findServer(rfc2543Request('BYE', { toTag: 'two' }))).toBe(null);
  });
});

describe('a response is matched', () => {
  it('by branch, sent-by and the method of CSeq', () => {
    const rig = new TransactionRig();
    const transaction = rig.client('INVITE', UDP);
    expect(rig.table.findClient(response(request('INVITE'), 200))).toBe(transaction);
    expect(rig.table.findClient(response(request('CANCEL'), 200))).toBe(null);
    expect(rig.table.findClient(response(request('INVITE', { branch: 'z9hG4bKtwo' }), 200))).toBe(null);
    expect(rig.table.findClient(response(request('INVITE', { sentBy: '192.0.2.8:5060' }), 200))).toBe(null);
  });
});

describe('the transaction table', () => {
  it('creates no transaction at the bound, and again after one has ended', () => {
    const rig = new TransactionRig(1);
    const transaction = rig.client('BYE', UDP);
    expect(rig.server('INVITE', UDP)).toBe(null);
    expect(rig.client('INVITE', UDP)).toBe(null);
    transaction?.abandon();
    expect(rig.server('INVITE', UDP)).not.toBe(null);
  });

  it('reports a request of another path as merged while the first transaction exists', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    expect(rig.table.isMerged(request('INVITE', { branch: 'z9hG4bKtwo' }))).toBe(true);
    expect(rig.table.isMerged(request('INVITE', { branch: 'z9hG4bKtwo', cseq: 2 }))).toBe(false);
    transaction?.abandon();
    expect(rig.table.isMerged(request('INVITE', { branch: 'z9hG4bKtwo' }))).toBe(false);
  });

  it('stops all timers when it is cleared', () => {
    const rig = new TransactionRig();
    rig.client('INVITE', UDP);
    rig.server('BYE', UDP)?.respond(response(request('BYE'), 200));
    rig.table.clear();
    expect(rig.isEmpty).toBe(true);
  });
});
