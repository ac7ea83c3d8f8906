/** Topic `dtmf`. */
export interface DtmfSlice {
  /** Digits of `send_dtmf` calls, until they have sounded; each call is also a running tool. */
  readonly outgoingDtmf: readonly OutgoingDtmf[];
  /** The entry that the user is typing, and the entries that wait for an answer. */
  readonly dtmf: { readonly openEntry: DtmfEntry | null; readonly entries: readonly TypedEntry[] };
}

/** Input that a user types instead of speaking. */
export type TypedEntry = DtmfEntry | TypedText;

/** DTMF digits of the user that form one entry, with the times of the first and the last digit. */
export interface DtmfEntry extends EntryTimes {
  readonly type: 'digits';
  readonly digits: string;
}

/** A text of the user of a web call, which is complete as it arrives. */
export interface TypedText extends EntryTimes {
  readonly type: 'text';
  readonly text: string;
}

interface EntryTimes {
  readonly startUs: number;
  readonly endUs: number;
  /** The last end of voice activity before it, in its turn; null: there was none. */
  readonly activityEndedUs: number | null;
}

export interface OutgoingDtmf {
  readonly toolCallId: string;
  readonly name: string;
  readonly digits: string;
  /** Handed to the playout. */
  readonly sent: boolean;
}

export const INITIAL_DTMF: DtmfSlice = { outgoingDtmf: [], dtmf: { openEntry: null, entries: [] } };
