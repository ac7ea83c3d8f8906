import { describe, expect, it } from 'vitest';
import { request, response, TransactionRig, UDP } from './transaction-rig.ts';

const handlers = { onFailed: () => undefined, onEnded: () => undefined };

describe('a request finds its transaction', () => {
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

  it('an ACK by its INVITE’s branch, whatever its To tag', () => {
    expect(rig.table.findServer(request('ACK', { toTag: 'to' }))).toBe(transaction);
  });

  it('a CANCEL is a transaction of its own and finds the INVITE when asked', () => {
    expect(rig.table.findServer(request('CANCEL'))).toBe(null);
    expect(rig.table.findServer(request('CANCEL'), 'INVITE')).toBe(transaction);
  });
});

describe('a request of RFC 2543, without the magic cookie', () => {
  const old = (method: string, changes: Parameters<typeof request>[1] = {}) =>
    request(method, { branch: '1', ...changes });

  it('matches by Request-URI, tags, Call-ID, CSeq and topmost Via', () => {
    const rig = new TransactionRig();
    const transaction = rig.table.createServer(old('INVITE'), UDP, handlers);
    expect(rig.table.findServer(old('INVITE'))).toBe(transaction);
    expect(rig.table.findServer(old('ACK', { toTag: 'ours' }))).toBe(transaction);
    expect(rig.table.findServer(old('CANCEL'), 'INVITE')).toBe(transaction);
    expect(rig.table.findServer(old('INVITE', { cseq: 2 }))).toBe(null);
    expect(rig.table.findServer(old('INVITE', { sentBy: '192.0.2.8' }))).toBe(null);
  });

  it('a BYE of another dialog is another transaction', () => {
    const rig = new TransactionRig();
    rig.table.createServer(old('BYE', { toTag: 'one' }), UDP, handlers);
    expect(rig.table.findServer(old('BYE', { toTag: 'two' }))).toBe(null);
  });
});

describe('a response finds its transaction', () => {
  it('by branch, sent-by and method of CSeq', () => {
    const rig = new TransactionRig();
    const transaction = rig.client('INVITE', UDP);
    expect(rig.table.findClient(response(request('INVITE'), 200))).toBe(transaction);
    expect(rig.table.findClient(response(request('CANCEL'), 200))).toBe(null);
    expect(rig.table.findClient(response(request('INVITE', { branch: 'z9hG4bKtwo' }), 200))).toBe(null);
    expect(rig.table.findClient(response(request('INVITE', { sentBy: '192.0.2.8:5060' }), 200))).toBe(null);
  });
});

describe('bounds', () => {
  it('at the bound no transaction is made, and one is again when another has ended', () => {
    const rig = new TransactionRig(1);
    const transaction = rig.client('BYE', UDP);
    expect(rig.server('INVITE', UDP)).toBe(null);
    expect(rig.client('INVITE', UDP)).toBe(null);
    transaction?.abandon();
    expect(rig.server('INVITE', UDP)).not.toBe(null);
  });

  it('a request that came by another way is merged while the first lives', () => {
    const rig = new TransactionRig();
    const transaction = rig.server('INVITE', UDP);
    expect(rig.table.isMerged(request('INVITE', { branch: 'z9hG4bKtwo' }))).toBe(true);
    expect(rig.table.isMerged(request('INVITE', { branch: 'z9hG4bKtwo', cseq: 2 }))).toBe(false);
    transaction?.abandon();
    expect(rig.table.isMerged(request('INVITE', { branch: 'z9hG4bKtwo' }))).toBe(false);
  });

  it('clearing leaves no timer', () => {
    const rig = new TransactionRig();
    rig.client('INVITE', UDP);
    rig.server('BYE', UDP)?.respond(response(request('BYE'), 200));
    rig.table.clear();
    expect(rig.isEmpty).toBe(true);
  });
});
