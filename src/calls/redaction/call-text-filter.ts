import type { InboxRecord } from '../../../engine/core/event.ts';
import type { EngineNotice } from '../../../engine/core/notice.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import { CallRedactor, type CallRedactorOptions } from './call-redactor.ts';
import { PausedTexts } from './paused-texts.ts';
import { redactedNotice } from './redacted-notice.ts';

type Entry = Exclude<JournalEntry, { readonly type: 'ended' }>;

export interface CallTextFilterOptions {
  /** BCP 47, of the agent. */
  readonly language: string;
  /** Null: the agent has no `redaction`. */
  readonly entities: CallRedactorOptions['entities'] | null;
}

/** What leaves one call towards storage and log: without the texts of pauses, and without what the agent's `redaction` names. */
export class CallTextFilter {
  /** Null: the agent has no `redaction`. */
  readonly redactor: CallRedactor | null;
  readonly #paused = new PausedTexts();

  constructor({ entities, language }: CallTextFilterOptions) {
    this.redactor = entities === null ? null : new CallRedactor({ entities, language });
  }

  /** Call it for every record of the call, before its commands are carried out. */
  follow(record: Pick<InboxRecord, 'commands' | 'event'>): void {
    this.#paused.follow(record);
  }

  /** The entries to write: this one and earlier ones that it changes. */
  write(entry: Entry): readonly Entry[] {
    return this.#paused.write(entry, this.redactor?.write(entry) ?? [entry]);
  }

  /** The call is over: entries to write. */
  end(): readonly Entry[] {
    return this.#paused.write(null, this.redactor?.end() ?? []);
  }

  /** A text of a log line or an error. */
  text(text: string): string {
    return this.#paused.text(this.redactor?.text(text) ?? text);
  }

  notice(notice: EngineNotice): EngineNotice {
    return redactedNotice(notice, (text) => this.text(text));
  }
}
