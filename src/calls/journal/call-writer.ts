import { randomUUID } from 'node:crypto';
import type { CallPatch } from '../../storage/calls/call-record.ts';
import type { CallEnd, CallRepository, StatusChange } from '../../storage/calls/call-repository.ts';
import type { JournalRepository } from '../../storage/calls/journal-repository.ts';
import { persist, persistThroughOutage } from '../../storage/database/persist.ts';
import type { WebhookEventDraft } from '../../storage/events/webhook-event.ts';
import type { KeptJournalEntry } from '../host/call-host.ts';
import { JournalGathering } from './journal-gathering.ts';

/** Journal entries of one call that may wait for the database; beyond it the newest is lost, and reported. */
const PENDING_MAX = 20_000;
/** Journal entries in one transaction. */
const BATCH_MAX = 200;
/** The event id is drawn once: a try whose result is unknown is followed by another. */
interface KeptWrite {
  readonly type: 'entry';
  readonly entry: KeptJournalEntry;
  readonly eventId: string;
}

type Write = KeptWrite | { readonly type: 'act'; readonly what: string; readonly store: () => Promise<unknown> };

export interface CallWriterOptions {
  readonly callId: string;
  readonly calls: Pick<CallRepository, 'setStatus' | 'finish' | 'update' | 'storeRecording'>;
  readonly journal: Pick<JournalRepository, 'appendJournal'>;
  readonly startedWallMs: number;
  /** Shared with the other calls of the node. Default: its own. */
  readonly gathering?: JournalGathering;
  /** Events of the call may be due for delivery now. */
  readonly onStored: (callId: string) => void;
  readonly onLost: (what: string, error: unknown) => void;
  /** A write was refused: another node has closed the call. */
  readonly onRefused: () => void;
}

/**
 * Stores one running call asynchronously and in order: journal entries, status changes and the end share one queue, so that no event
 * overtakes another. While the database is unreachable, all of them wait for it.
 */
export class CallWriter {
  readonly #options: CallWriterOptions;
  readonly #gathering: JournalGathering;
  #pending: Write[] = [];
  /** Waiting writes that are no journal entries: while there is one, no entry waits for others. */
  #pendingStatusWrites = 0;
  #pumping: Promise<void> | null = null;
  #flushing = false;
  #stopGathering: () => void = () => undefined;

  constructor(options: CallWriterOptions) {
    this.#options = options;
    this.#gathering = options.gathering ?? new JournalGathering();
  }

  write(entry: KeptJournalEntry): void {
    this.#push({ type: 'entry', entry, eventId: randomUUID() });
  }

  setStatus(change: StatusChange): void {
    const { callId, calls } = this.#options;
    this.#act(`status ${change.to}`, () => calls.setStatus(callId, change));
  }

  update(patch: CallPatch, events: readonly WebhookEventDraft[] = []): void {
    const { callId, calls } = this.#options;
    this.#act('call fields', () => this.#owned(calls.update(callId, patch, events)));
  }

  /** Also of a call that another node has closed: the recording is on this node. */
  recorded(patch: CallPatch, events: readonly WebhookEventDraft[] = []): void {
    const { callId, calls } = this.#options;
    this.#act('recording', () => calls.storeRecording(callId, patch, events));
  }

  /** Tried without end, whatever the error is: an open row would count as a call in progress. */
  finish(end: CallEnd): void {
    const { callId, calls } = this.#options;
    this.#push({ type: 'act', what: `end ${end.endReason}`, store: () => persist(() => calls.finish(callId, end)) });
  }

  /** Resolves once everything written so far is on the disk, or was refused by the database. */
  async flushed(): Promise<void> {
    this.#flushing = true;
    this.#stopGathering();
    while (this.#pumping !== null) await this.#pumping;
    this.#flushing = false;
  }

  #act(what: string, run: () => Promise<unknown>): void {
    this.#push({ type: 'act', what, store: () => persistThroughOutage(run) });
  }

  #push(write: Write): void {
    if (write.type === 'entry' && this.#pending.length >= PENDING_MAX) {
      this.#options.onLost(write.entry.type, new Error('too many writes wait'));
      return;
    }
    this.#pending.push(write);
    if (write.type === 'act') {
      this.#pendingStatusWrites++;
      this.#stopGathering();
    }
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    const { callId, onStored } = this.#options;
    // After the current step of the engine: all that it writes shares one transaction.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      await this.#gather();
      const entries = this.#leadingEntries();
      if (entries.length > 0) await this.#append(entries);
      else {
        const write = this.#pending.shift();
        if (write?.type === 'act') {
          this.#pendingStatusWrites--;
          await this.#reported(write.what, write.store());
        }
      }
      onStored(callId);
    }
    this.#pumping = null;
  }

  /** Entries wait for more entries; a status change, a dialog or the end waits for nothing. */
  async #gather(): Promise<void> {
    if (this.#pendingStatusWrites > 0 || this.#flushing) return;
    await new Promise<void>((resolve) => {
      const leave = this.#gathering.wait(resolve);
      this.#stopGathering = () => {
        leave();
        resolve();
      };
    });
    this.#stopGathering = () => undefined;
  }

  #leadingEntries(): KeptWrite[] {
    const entries: KeptWrite[] = [];
    for (const write of this.#pending) {
      if (write.type !== 'entry' || entries.length === BATCH_MAX) break;
      entries.push(write);
    }
    this.#pending.splice(0, entries.length);
    return entries;
  }

  #append(writes: readonly KeptWrite[]): Promise<void> {
    const { callId, journal, startedWallMs } = this.#options;
    const entries = writes.map(({ entry }) => entry);
    const eventIds = writes.map(({ eventId }) => eventId);
    const append = () => this.#owned(journal.appendJournal(callId, { entries, eventIds, startedWallMs }));
    return this.#reported('journal', persistThroughOutage(append));
  }

  async #owned(write: Promise<boolean>): Promise<void> {
    if (!(await write)) this.#options.onRefused();
  }

  async #reported(what: string, stored: Promise<unknown>): Promise<void> {
    try {
      await stored;
    } catch (error) {
      this.#options.onLost(what, error);
    }
  }
}
